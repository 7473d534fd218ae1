//! The sixty devices that a fresh demo starts with: the same ones on every machine.
//!
//! Data only. Called by the demo's store.

/// A device as the store holds it.
#[derive(Clone)]
pub struct Device {
    /// `dev-001` to `dev-060`.
    pub id: String,
    /// Unique, at most 60 code points.
    pub name: String,
    /// Where it is.
    pub city: &'static str,
    /// `gateway`, `sensor`, `camera` or `thermostat`.
    pub kind: &'static str,
    /// `online`, `offline` or `disabled`.
    pub status: String,
    /// Three numbers.
    pub firmware: String,
    /// Counted from the server's start.
    pub seen_seconds_ago: u64,
    /// Per cent; none for what is on mains.
    pub battery: Option<u64>,
    /// As printed on the device.
    pub serial: String,
}

/// City, kind, status, name; the rest follows from the place in this list.
const ROWS: [(&str, &str, &str, &str); 60] = [
    ("Milan", "gateway", "online", "Navigli gateway"),
    ("Milan", "gateway", "online", "Duomo gateway"),
    ("Milan", "sensor", "online", "Brera roof sensor"),
    ("Milan", "sensor", "offline", "Porta Nuova air sensor"),
    ("Milan", "sensor", "online", "Isola water sensor"),
    ("Milan", "sensor", "online", "Lambrate door sensor"),
    ("Milan", "camera", "offline", "Centrale lobby camera"),
    ("Milan", "camera", "online", "Garibaldi dock camera"),
    ("Milan", "camera", "offline", "Linate gate camera"),
    ("Milan", "thermostat", "online", "Tortona studio thermostat"),
    ("Milan", "thermostat", "online", "Cadorna office thermostat"),
    ("Milan", "thermostat", "disabled", "Bovisa lab thermostat"),
    ("Lisbon", "gateway", "online", "Alfama gateway"),
    ("Lisbon", "gateway", "online", "Baixa gateway"),
    ("Lisbon", "sensor", "offline", "Belém tide sensor"),
    ("Lisbon", "sensor", "online", "Chiado air sensor"),
    ("Lisbon", "sensor", "online", "Alcântara pump sensor"),
    ("Lisbon", "sensor", "online", "Rossio door sensor"),
    ("Lisbon", "camera", "online", "Oriente lobby camera"),
    ("Lisbon", "camera", "offline", "Cais quay camera"),
    ("Lisbon", "camera", "online", "Estrela garden camera"),
    ("Lisbon", "thermostat", "disabled", "Graça hall thermostat"),
    ("Lisbon", "thermostat", "online", "Marvila studio thermostat"),
    ("Lisbon", "thermostat", "online", "Benfica office thermostat"),
    ("Kraków", "gateway", "online", "Wawel gateway"),
    ("Kraków", "gateway", "online", "Kazimierz gateway"),
    ("Kraków", "sensor", "online", "Vistula level sensor"),
    ("Kraków", "sensor", "online", "Podgórze air sensor"),
    ("Kraków", "sensor", "offline", "Nowa Huta heat sensor"),
    ("Kraków", "sensor", "offline", "Zabłocie door sensor"),
    ("Kraków", "camera", "online", "Rynek square camera"),
    ("Kraków", "camera", "online", "Dębniki bridge camera"),
    ("Kraków", "camera", "online", "Balice gate camera"),
    ("Kraków", "thermostat", "online", "Stradom hall thermostat"),
    ("Kraków", "thermostat", "offline", "Grzegórzki lab thermostat"),
    ("Kraków", "thermostat", "online", "Salwator office thermostat"),
    ("Austin", "gateway", "online", "Congress gateway"),
    ("Austin", "gateway", "offline", "Rainey gateway"),
    ("Austin", "sensor", "online", "Zilker soil sensor"),
    ("Austin", "sensor", "online", "Mueller air sensor"),
    ("Austin", "sensor", "disabled", "Barton creek sensor"),
    ("Austin", "sensor", "online", "Domain door sensor"),
    ("Austin", "camera", "online", "Capitol lobby camera"),
    ("Austin", "camera", "online", "South Lamar lot camera"),
    ("Austin", "camera", "offline", "Bergstrom gate camera"),
    ("Austin", "thermostat", "online", "Hyde Park hall thermostat"),
    ("Austin", "thermostat", "online", "Travis lab thermostat"),
    ("Austin", "thermostat", "online", "Riverside office thermostat"),
    ("Osaka", "gateway", "online", "Umeda gateway"),
    ("Osaka", "gateway", "online", "Namba gateway"),
    ("Osaka", "sensor", "online", "Yodo level sensor"),
    ("Osaka", "sensor", "online", "Tennoji air sensor"),
    ("Osaka", "sensor", "online", "Nakanoshima pump sensor"),
    ("Osaka", "sensor", "offline", "Shinsekai door sensor"),
    ("Osaka", "camera", "offline", "Dotonbori street camera"),
    ("Osaka", "camera", "online", "Sakai dock camera"),
    ("Osaka", "camera", "online", "Kansai gate camera"),
    ("Osaka", "thermostat", "offline", "Tsuruhashi hall thermostat"),
    ("Osaka", "thermostat", "online", "Minami studio thermostat"),
    ("Osaka", "thermostat", "disabled", "Kyobashi office thermostat"),
];

/// The devices of a fresh store.
pub fn devices() -> Vec<Device> {
    (1_u64..)
        .zip(ROWS)
        .map(|(number, row)| device(number, row))
        .collect()
}

/// Multiplications by primes scatter the numbers without a source of randomness.
fn device(number: u64, (city, kind, status, name): (&'static str, &'static str, &str, &str)) -> Device {
    let seen_seconds_ago = match status {
        "online" => number * 37 % 240,
        "offline" => 5_400 + number * 7_919 % 260_000,
        _ => 900_000 + number * 104_729 % 3_000_000,
    };
    let (prefix, firmware, on_battery) = match kind {
        "gateway" => ("GW", 5, false),
        "sensor" => ("SN", 2, true),
        "camera" => ("CM", 4, number.is_multiple_of(2)),
        _ => ("TH", 3, true),
    };
    let battery = on_battery.then(|| {
        if status == "online" {
            35 + number * 29 % 66
        } else {
            number * 13 % 31
        }
    });
    Device {
        id: format!("dev-{number:03}"),
        name: name.to_owned(),
        city,
        kind,
        status: status.to_owned(),
        firmware: format!("{firmware}.{}.{}", number * 3 % 4, number * 7 % 10),
        seen_seconds_ago,
        battery,
        serial: format!("{prefix}-{:05}-{:02}", number * 7_919 % 100_000, number * 31 % 97),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_serials_are_unique() {
        let devices = devices();
        let names: BTreeSet<String> = devices.iter().map(|device| device.name.to_lowercase()).collect();
        let serials: BTreeSet<&str> = devices.iter().map(|device| device.serial.as_str()).collect();
        assert_eq!((names.len(), serials.len()), (60, 60));
    }

    #[test]
    fn every_city_has_twelve_devices_and_some_are_offline() {
        for city in ["Milan", "Lisbon", "Kraków", "Austin", "Osaka"] {
            let here: Vec<Device> = devices()
                .into_iter()
                .filter(|device| device.city == city)
                .collect();
            assert_eq!(here.len(), 12, "{city}");
            assert!(here.iter().any(|device| device.status == "offline"), "{city}");
            assert!(
                here.iter()
                    .all(|device| device.battery.is_none_or(|charge| charge <= 100)),
                "{city}"
            );
        }
    }
}
