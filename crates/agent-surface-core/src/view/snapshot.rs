//! A whole snapshot as JSON text.
//!
//! Asks and decides nothing: it writes what a built view holds. Called by the transcripts' driver; the page's builds its
//! snapshots from news and cells.

use crate::core::Core;
use crate::effect::Kind;
use crate::error::{ObjectWriter, decimal};
use alloc::string::String;

impl Core {
    /// The whole snapshot as JSON text.
    pub fn snapshot_json(&self, view: u32) -> String {
        let Some(found) = self.views.get(view) else {
            return String::from("{}");
        };
        let (mut components, mut procedures) = (ObjectWriter::new(), ObjectWriter::new());
        components.open_item("[");
        procedures.open_item("[");
        for &(slot, _, listed) in &found.rows {
            self.write_registration(view, slot, listed, &mut components, &mut procedures);
        }
        let mut out = ObjectWriter::new();
        out.text("surfaceId", &self.surface_id)
            .text("surfaceVersion", &decimal(found.version))
            .text("capturedAt", &found.captured.iso())
            .text_if("route", found.route.as_deref())
            .raw("components", &components.close("]").take())
            .raw("procedures", &procedures.close("]").take());
        if found.dropped > 0 {
            out.open("truncated", "{")
                .number("droppedComponents", found.dropped)
                .close("}");
        }
        out.finish()
    }

    fn write_registration(
        &self,
        view: u32,
        slot: u32,
        listed: bool,
        components: &mut ObjectWriter,
        procedures: &mut ObjectWriter,
    ) {
        let Some(registration) = self.registrations.get(slot) else {
            return;
        };
        let (mut observations, mut actions) = (ObjectWriter::new(), ObjectWriter::new());
        observations.open_item("[");
        actions.open_item("[");
        self.shown(view, slot, &mut |_, member, state| {
            let mut item = ObjectWriter::new();
            item.members_of(&member.capability.base_descriptor());
            state.write_members(&mut item);
            let list = match member.capability.kind {
                Kind::Observation => &mut observations,
                Kind::Action => &mut actions,
                Kind::Procedure => {
                    item.text_if("contextualNote", state.note.as_deref())
                        .text("registrationId", &registration.id)
                        .open("context", "{")
                        .text("type", &registration.component.header.component_type)
                        .text("instanceId", &registration.component.header.instance_id)
                        .close("}");
                    &mut *procedures
                }
            };
            list.open_item(&item.finish());
        });
        if listed {
            let component = ObjectWriter::new()
                .members_of(&registration.component.header.base_descriptor(&registration.id))
                .raw("observations", &observations.close("]").take())
                .raw("actions", &actions.close("]").take())
                .finish();
            components.open_item(&component);
        }
    }
}
