//! Numbers by which the facade says what it wants of an export that stands for many.
//!
//! Holds nothing else. `pkg-template/lib/codes.js` has the same; a unit test compares the two.

// Of `Registry::number`.
pub const LOOK: u32 = 0;
pub const BUILD_TOOLS: u32 = 1;
pub const NAMES_STAMP: u32 = 2;
pub const VERSION: u32 = 3;
pub const GENERATION: u32 = 4;
pub const IS_LIVE: u32 = 5;
pub const IS_IDLE: u32 = 6;
pub const COMMIT: u32 = 7;
pub const REGISTERED: u32 = 8;
pub const PREPARE_AGAIN: u32 = 9;
pub const CALL_GENERATION: u32 = 10;

// Of `Registry::change`.
pub const CLOSE_VIEW: u32 = 0;
pub const CLOSE_TOOLSET: u32 = 1;
pub const WATCH_TOOLSET: u32 = 2;
pub const RECONCILE: u32 = 3;
pub const ACCEPT_OFFER: u32 = 4;
pub const UNREGISTER: u32 = 5;
pub const INVALIDATE: u32 = 6;
pub const RELEASE_SPEC: u32 = 7;
pub const SET_AUDIENCE: u32 = 8;
pub const END: u32 = 9;
pub const RECOVERED: u32 = 10;

// Of `Registry::read`: a text.
pub const TAKEN_TEXT: u32 = 0;
pub const SURFACE_ID: u32 = 1;
pub const MARK: u32 = 2;
pub const REGISTRATION_HEAD: u32 = 3;
pub const SPEC_DESCRIPTOR: u32 = 4;
pub const VIEW_NEWS: u32 = 5;
pub const VIEW_CELL: u32 = 6;
pub const TOOL_NAMES: u32 = 7;
pub const TOOL_STATE: u32 = 8;
pub const TOOL_LABEL: u32 = 9;
pub const OFFERED_TOOL: u32 = 10;
pub const BROWSER_STATUS: u32 = 11;
pub const PENDING_CONFIRMATIONS: u32 = 12;

// Of `Registry::rows`: a list of numbers.
pub const TOOL_ROWS: u32 = 0;
pub const OFFERED_TARGET: u32 = 1;

// Of `Registry::confirmation`.
pub const STATUS: u32 = 0;
pub const DESCRIPTION: u32 = 1;
pub const GESTURE_REFUSED: u32 = 2;
pub const APPROVE: u32 = 3;
pub const DENY: u32 = 4;

// Of `Registry::answer`: what reached the core on its own. A policy ended normally, by throwing a payload, or anything else.
pub const TICK: u32 = 0;
pub const DEADLINE: u32 = 1;
pub const ABORT: u32 = 2;
pub const NEXT: u32 = 3;
pub const ESCALATE: u32 = 4;
pub const CHECKED: u32 = 5;
pub const PRECONDITION_DONE: u32 = 6;
pub const HANDLER_DONE: u32 = 7;
pub const POLICY_DONE: u32 = 8;
pub const POLICY_REFUSED: u32 = 9;
pub const POLICY_FAILED: u32 = 10;
pub const AUDIT_CALL: u32 = 11;

// Of `name`: a text about texts.
pub const IS_COMPONENT_TYPE: u32 = 0;
pub const IS_CAPABILITY_NAME: u32 = 1;
pub const IS_INSTANCE_ID: u32 = 2;
pub const PARSE_ID: u32 = 3;
pub const VIEW_ID: u32 = 4;
pub const DOMAIN_ID: u32 = 5;
pub const WIRE_NAME: u32 = 6;
pub const WIRE_NAME_AT: u32 = 7;
pub const ID_OF_WIRE_NAME: u32 = 8;
pub const WIRE_NAMES: u32 = 9;
pub const IN_SCOPE: u32 = 10;
pub const SCHEMA_FAULT: u32 = 11;
