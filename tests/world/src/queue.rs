//! The simulated FIFO queue: groups in order and locked while in flight, visibility, deduplication, receive counts,
//! a dead-letter queue.

use std::collections::{BTreeMap, VecDeque};

use crate::options::{DEDUPLICATION_MS, MAX_RECEIVE_COUNT, VISIBILITY_MS};

/// One message.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) id: u64,
    pub(crate) group: String,
    pub(crate) body: String,
    pub(crate) received: u32,
    pub(crate) visible_at: i64,
    pub(crate) receipt: u64,
    pub(crate) sent_at: i64,
}

/// The queue and its dead-letter queue.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    groups: BTreeMap<String, VecDeque<Message>>,
    seen: BTreeMap<(String, String), i64>,
    pub(crate) dead: Vec<Message>,
    next_id: u64,
    next_receipt: u64,
}

impl Queue {
    /// Takes a message; false if it is a duplicate inside the deduplication interval.
    pub(crate) fn send(&mut self, now: i64, group: &str, deduplication_id: &str, body: &str) -> bool {
        let key = (group.to_owned(), deduplication_id.to_owned());
        if self.seen.get(&key).is_some_and(|until| now < *until) {
            return false;
        }
        self.seen.insert(key, now + DEDUPLICATION_MS);
        self.next_id += 1;
        let message = Message {
            id: self.next_id,
            group: group.to_owned(),
            body: body.to_owned(),
            received: 0,
            visible_at: now,
            receipt: 0,
            sent_at: now,
        };
        self.groups.entry(group.to_owned()).or_default().push_back(message);
        true
    }

    /// Receives at most `limit` messages of groups that are not locked; `take` tells how many of each group.
    ///
    /// With `in_order` false it hands out the newest visible message first and locks nothing: a broken queue.
    pub(crate) fn receive(
        &mut self,
        now: i64,
        limit: usize,
        in_order: bool,
        mut take: impl FnMut() -> usize,
    ) -> Vec<Message> {
        let mut batch = Vec::new();
        for messages in self.groups.values_mut() {
            if batch.len() >= limit {
                break;
            }
            if in_order && messages.iter().any(|message| message.visible_at > now) {
                continue;
            }
            if !in_order {
                messages
                    .make_contiguous()
                    .sort_by_key(|message| (message.visible_at > now, u64::MAX - message.id));
            }
            while messages.front().is_some_and(|message| message.received >= MAX_RECEIVE_COUNT) {
                self.dead.extend(messages.pop_front());
            }
            let room = (limit - batch.len()).min(take());
            for message in messages.iter_mut().take(room).filter(|message| message.visible_at <= now) {
                self.next_receipt += 1;
                message.received += 1;
                message.visible_at = now + VISIBILITY_MS;
                message.receipt = self.next_receipt;
                batch.push(message.clone());
            }
        }
        self.groups.retain(|_, messages| !messages.is_empty());
        batch
    }

    /// Deletes a message by its receipt; a stale receipt deletes nothing.
    pub(crate) fn delete(&mut self, now: i64, message: &Message) -> bool {
        let Some(messages) = self.groups.get_mut(&message.group) else { return false };
        let before = messages.len();
        messages.retain(|held| {
            !(held.id == message.id && held.receipt == message.receipt && now < held.visible_at)
        });
        let deleted = messages.len() < before;
        if messages.is_empty() {
            self.groups.remove(&message.group);
        }
        deleted
    }

    /// Takes a message that its handler set aside into the dead-letter queue; one that is there already only once.
    pub(crate) fn set_aside(&mut self, now: i64, group: &str, source_id: &str, body: &str) {
        let id = source_id.parse().unwrap_or(0);
        if self.dead.iter().any(|message| message.id == id) {
            return;
        }
        let (group, body) = (group.to_owned(), body.to_owned());
        self.dead.push(Message { id, group, body, received: 0, visible_at: now, receipt: 0, sent_at: now });
    }

    /// Puts the dead-lettered messages back, as an operator would; returns each one's group and age.
    pub(crate) fn redrive(&mut self, now: i64) -> Vec<(String, i64)> {
        let dead = std::mem::take(&mut self.dead);
        let ages = dead.iter().map(|message| (message.group.clone(), now - message.sent_at)).collect();
        for message in dead {
            self.next_id += 1;
            let again = Message { id: self.next_id, received: 0, visible_at: now, receipt: 0, ..message };
            self.groups.entry(again.group.clone()).or_default().push_back(again);
        }
        ages
    }

    /// Tells whether a group holds any message, visible or in flight, or a dead-lettered one.
    pub(crate) fn holds(&self, group: &str) -> bool {
        self.groups.contains_key(group) || self.dead.iter().any(|message| message.group == group)
    }

    pub(crate) fn waiting(&self, now: i64) -> usize {
        self.groups.values().flatten().filter(|message| message.visible_at <= now).count()
    }

    /// Returns when the next message becomes visible, if none is.
    pub(crate) fn next_visible(&self) -> Option<i64> {
        self.groups
            .values()
            .filter_map(|messages| messages.iter().map(|message| message.visible_at).max())
            .min()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}
