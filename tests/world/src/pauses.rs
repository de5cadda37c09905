//! The port calls that are paused now.

use stripe_wire::HttpReply;

use crate::state::{PauseId, TaskId, Wake};

/// One paused call.
pub(crate) struct Pause {
    pub(crate) task: TaskId,
    pub(crate) point: &'static str,
    pub(crate) woken: Option<Wake>,
    pub(crate) reply: Option<HttpReply>,
}

/// Every paused call, by its id. There are few at a time: looking through a list beats hashing.
#[derive(Default)]
pub(crate) struct Pauses {
    held: Vec<(PauseId, Pause)>,
    last: PauseId,
}

impl Pauses {
    /// Holds a call; returns the id that it goes on by.
    pub(crate) fn hold(&mut self, task: TaskId, point: &'static str) -> PauseId {
        self.last += 1;
        self.held.push((self.last, Pause { task, point, woken: None, reply: None }));
        self.last
    }

    pub(crate) fn get(&self, id: &PauseId) -> Option<&Pause> {
        self.held.iter().find(|(held, _)| held == id).map(|(_, pause)| pause)
    }

    pub(crate) fn get_mut(&mut self, id: &PauseId) -> Option<&mut Pause> {
        self.held.iter_mut().find(|(held, _)| held == id).map(|(_, pause)| pause)
    }

    pub(crate) fn remove(&mut self, id: &PauseId) {
        if let Some(index) = self.held.iter().position(|(held, _)| held == id) {
            self.held.swap_remove(index);
        }
    }
}
