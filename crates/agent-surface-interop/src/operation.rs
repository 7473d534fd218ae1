//! The operations that this version of the protocol knows.
//!
//! It refuses to say what they mean: agents and environments do. The manifest, envelopes and adapters call it.

macro_rules! operations {
    ($($name:ident $text:literal)*) => {
        /// An operation, in canonical order.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[expect(missing_docs, reason = "each is named for its text")]
        pub enum Operation { $($name),* }

        impl Operation {
            /// All of them, in canonical order.
            pub const ALL: &[Operation] = &[$(Operation::$name),*];

            /// Its text on the wire.
            pub fn name(self) -> &'static str {
                match self { $(Operation::$name => $text),* }
            }
        }
    };
}

// An operation that another version adds goes here by its text's place in UTF-16 order, and stays out of manifests that are
// made for this one: a peer refuses a manifest with an operation that it does not know.
operations! {
    AgentCheckpoint "agent.checkpoint"
    AgentCheckpointExport "agent.checkpoint.export"
    AgentCheckpointImport "agent.checkpoint.import"
    AgentRestore "agent.restore"
    AgentStep "agent.step"
    EnvironmentAct "environment.act"
    EnvironmentClose "environment.close"
    EnvironmentObserve "environment.observe"
    EnvironmentReset "environment.reset"
    EnvironmentRestore "environment.restore"
    EnvironmentSnapshot "environment.snapshot"
}

impl Operation {
    /// The operation of this text.
    pub fn parse(text: &str) -> Option<Self> {
        Operation::ALL
            .iter()
            .copied()
            .find(|operation| operation.name() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::Operation;

    #[test]
    fn operations_stand_in_the_order_of_their_texts() {
        assert_eq!(Operation::ALL.len(), 11);
        assert!(Operation::ALL.is_sorted_by(|a, b| a.name() < b.name()));
        for operation in Operation::ALL {
            assert_eq!(Operation::parse(operation.name()), Some(*operation));
        }
        assert_eq!(Operation::parse("morphogenesis.enact"), None);
    }
}
