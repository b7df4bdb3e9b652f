//! The referee for agents: a server of the Model Context Protocol over standard input and output.
//!
//! It renders what the API `/api/v2` and the command line return; it knows no rule.
//!
//! | file | what it is |
//! |---|---|
//! | [`games`] | the games that an agent plays |
//! | [`tools`] | the tools: what they take, and what answers them |
//! | [`resources`] | cases, tables and rulebooks as resources |
//! | [`input_lines`] | the lines between an agent and the server, within bounds |
//! | [`server`] | the protocol, its limits, and cancellation |

pub mod games;
pub mod input_lines;
pub mod resources;
pub mod server;
pub mod tools;
