//! The demo's devices: a real, if small, store with rules of its own, kept in a file so that a restart keeps changes.
//!
//! A change is written before it is answered; several are made together or not at all. Called by the demo's API.

use std::{
    fs,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::seed::{self, Device};
use crate::workspace;

/// The longest name, in code points.
const NAME_LENGTH: usize = 60;
/// The most devices disabled at once.
const DISABLE_COUNT: usize = 50;

/// Why a change was not made.
#[derive(Debug)]
pub struct Refusal {
    /// HTTP's.
    pub status: u16,
    /// Stable.
    pub code: &'static str,
    /// For a person.
    pub message: String,
    /// The input's field at fault.
    pub field: Option<&'static str>,
}

/// What a list is limited to.
#[derive(Default)]
pub struct Filter<'a> {
    /// A city's whole name.
    pub city: Option<&'a str>,
    /// `online`, `offline` or `disabled`.
    pub status: Option<&'a str>,
    /// `gateway`, `sensor`, `camera` or `thermostat`.
    pub kind: Option<&'a str>,
    /// A part of the name, the id or the serial number, in any case.
    pub search: Option<&'a str>,
}

/// The devices, shared by the server's threads.
pub struct Store {
    devices: Mutex<Vec<Device>>,
    file: Option<PathBuf>,
    /// Seconds since 1970 when the server started, whole minutes: "last seen" counts back from here.
    start: u64,
}

impl Store {
    /// Opens the store kept in a file, or one in memory; `fresh` starts from the seed.
    pub fn open(file: Option<PathBuf>, fresh: bool) -> Result<Self> {
        let mut devices = seed::devices();
        if let (Some(path), false) = (&file, fresh)
            && path.exists()
        {
            let kept = workspace::read(path)?;
            apply(&mut devices, &kept)
                .with_context(|| format!("{} is damaged: `demo --fresh` makes a new one", path.display()))?;
        }
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .context("the clock is before 1970")?
            .as_secs();
        let store = Self {
            devices: Mutex::new(devices),
            file,
            start: now - now % 60,
        };
        if fresh {
            store.persist(&store.lock())?;
        }
        Ok(store)
    }

    /// The devices that a filter lets through, in the order of their ids.
    pub fn list(&self, filter: &Filter<'_>) -> Vec<Value> {
        let search = filter.search.map(str::to_lowercase);
        let matches = |device: &&Device| {
            filter.city.is_none_or(|city| city == device.city)
                && filter.status.is_none_or(|status| status == device.status)
                && filter.kind.is_none_or(|kind| kind == device.kind)
                && search.as_ref().is_none_or(|part| {
                    [&device.name, &device.id, &device.serial]
                        .iter()
                        .any(|text| text.to_lowercase().contains(part))
                })
        };
        self.lock()
            .iter()
            .filter(matches)
            .map(|device| self.show(device))
            .collect()
    }

    /// One device.
    pub fn device(&self, id: &str) -> Result<Value, Refusal> {
        self.lock()
            .iter()
            .find(|device| device.id == id)
            .map(|device| self.show(device))
            .ok_or_else(|| unknown(id))
    }

    /// Gives a device a name that no other has.
    pub fn rename(&self, id: &str, name: &str) -> Result<Value, Refusal> {
        let name = name.trim();
        let refuse = |status, code, message: &str| Refusal {
            status,
            code,
            message: message.to_owned(),
            field: Some("name"),
        };
        if name.is_empty() || name.chars().count() > NAME_LENGTH {
            return Err(refuse(422, "INVALID", "a name has 1 to 60 characters"));
        }
        if name.chars().any(is_unprintable) {
            return Err(refuse(422, "INVALID", "a name has no control characters"));
        }
        let mut devices = self.lock();
        let folded = name.to_lowercase();
        if devices
            .iter()
            .any(|device| device.id != id && device.name.to_lowercase() == folded)
        {
            return Err(refuse(409, "NAME_TAKEN", "another device has that name"));
        }
        self.change(&mut devices, |devices| {
            let device = devices
                .iter_mut()
                .find(|device| device.id == id)
                .ok_or_else(|| unknown(id))?;
            name.clone_into(&mut device.name);
            Ok(self.show(device))
        })
    }

    /// Disables devices, all or none.
    pub fn disable(&self, ids: &[&str]) -> Result<Vec<Value>, Refusal> {
        let refuse = |status, code, message: String| Refusal {
            status,
            code,
            message,
            field: Some("ids"),
        };
        if ids.is_empty() || ids.len() > DISABLE_COUNT {
            return Err(refuse(
                422,
                "INVALID",
                "1 to 50 devices can be disabled at once".to_owned(),
            ));
        }
        if ids
            .iter()
            .enumerate()
            .any(|(at, id)| ids.iter().skip(at + 1).any(|other| other == id))
        {
            return Err(refuse(422, "INVALID", "a device is named twice".to_owned()));
        }
        let mut devices = self.lock();
        self.change(&mut devices, |devices| {
            let mut changed = Vec::with_capacity(ids.len());
            for id in ids {
                let device = devices
                    .iter_mut()
                    .find(|device| device.id == *id)
                    .ok_or_else(|| refuse(422, "UNKNOWN_DEVICE", unknown(id).message))?;
                if device.status == "disabled" {
                    return Err(refuse(
                        409,
                        "ALREADY_DISABLED",
                        format!("`{}` is already disabled", device.id),
                    ));
                }
                "disabled".clone_into(&mut device.status);
                changed.push(self.show(device));
            }
            Ok(changed)
        })
    }

    /// Back to the seed.
    pub fn reset(&self) -> Result<Vec<Value>, Refusal> {
        let mut devices = self.lock();
        self.change(&mut devices, |devices| {
            *devices = seed::devices();
            Ok(devices.iter().map(|device| self.show(device)).collect())
        })
    }

    /// Makes a change on a copy, keeps it in the file, and only then in memory.
    fn change<T>(
        &self,
        devices: &mut Vec<Device>,
        act: impl FnOnce(&mut Vec<Device>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut changed = devices.clone();
        let answer = act(&mut changed)?;
        self.persist(&changed).map_err(|error| Refusal {
            status: 500,
            code: "NOT_KEPT",
            message: format!("the change could not be kept: {error:#}"),
            field: None,
        })?;
        *devices = changed;
        Ok(answer)
    }

    /// Writes what can change, through a second file, so that an interruption leaves the old state.
    fn persist(&self, devices: &[Device]) -> Result<()> {
        let Some(path) = &self.file else { return Ok(()) };
        let kept: Vec<Value> = devices
            .iter()
            .map(|device| json!({ "id": device.id, "name": device.name, "status": device.status }))
            .collect();
        let next = path.with_extension("json.new");
        workspace::write(&next, serde_json::to_string_pretty(&kept)?)?;
        fs::rename(&next, path).with_context(|| format!("cannot replace {}", path.display()))
    }

    /// A panic of one request leaves the list whole: changes are made on copies.
    fn lock(&self) -> MutexGuard<'_, Vec<Device>> {
        self.devices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, device: &Device) -> Value {
        json!({
            "id": device.id,
            "name": device.name,
            "city": device.city,
            "kind": device.kind,
            "status": device.status,
            "firmware": device.firmware,
            "lastSeen": iso(self.start.saturating_sub(device.seen_seconds_ago)),
            "battery": device.battery,
            "serial": device.serial,
        })
    }
}

/// Puts kept names and states into the seed's devices.
fn apply(devices: &mut [Device], kept: &str) -> Result<()> {
    let kept: Vec<Value> = serde_json::from_str(kept)?;
    for entry in &kept {
        let text = |name: &str| {
            entry
                .get(name)
                .and_then(Value::as_str)
                .with_context(|| format!("no `{name}`"))
        };
        let id = text("id")?;
        if let Some(device) = devices.iter_mut().find(|device| device.id == id) {
            text("name")?.clone_into(&mut device.name);
            text("status")?.clone_into(&mut device.status);
        }
    }
    Ok(())
}

fn unknown(id: &str) -> Refusal {
    let shown: String = id.chars().take(40).collect();
    Refusal {
        status: 404,
        code: "NOT_FOUND",
        message: format!("there is no device `{shown}`"),
        field: None,
    }
}

/// Control characters, and those that turn the direction of the text around them.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Seconds since 1970 as `2026-05-18T09:30:00Z`. The calendar is H. Hinnant's `civil_from_days`.
fn iso(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute) = (second / 3_600, second % 3_600 / 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z",
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_dates() {
        assert_eq!(iso(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(iso(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso(1_779_096_600), "2026-05-18T09:30:00Z");
    }

    #[test]
    fn a_restart_keeps_changes_and_fresh_forgets_them() {
        let file = std::env::temp_dir().join(format!("agent-surface-demo-{}.json", std::process::id()));
        let open = |fresh| Store::open(Some(file.clone()), fresh).unwrap();
        open(true).rename("dev-003", "Renamed once").unwrap();
        assert_eq!(open(false).device("dev-003").unwrap()["name"], "Renamed once");
        assert_ne!(open(true).device("dev-003").unwrap()["name"], "Renamed once");
        fs::write(&file, "{").unwrap();
        assert!(Store::open(Some(file.clone()), false).is_err());
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn a_name_with_a_turned_direction_is_refused() {
        let store = Store::open(None, true).unwrap();
        assert_eq!(
            store.rename("dev-003", "a\u{202e}b").unwrap_err().field,
            Some("name")
        );
        assert_eq!(store.rename("dev-003", &"é".repeat(61)).unwrap_err().status, 422);
        assert!(store.rename("dev-003", &"é".repeat(60)).is_ok());
    }
}
