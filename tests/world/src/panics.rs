//! Panics of the code under test: the executor catches them, so the world must hear of them in another way.

use std::{
    cell::RefCell,
    panic::{set_hook, take_hook},
    sync::Once,
};

thread_local! {
    static HEARD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Runs `f` and returns what panicked inside it on this thread, caught or not.
pub(crate) fn hear<T>(f: impl FnOnce() -> T) -> (T, Vec<String>) {
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            let heard = HEARD.with_borrow_mut(|heard| match heard {
                Some(heard) => {
                    heard.push(info.to_string());
                    true
                }
                None => false,
            });
            if !heard {
                usual(info);
            }
        }));
    });
    HEARD.with_borrow_mut(|heard| *heard = Some(Vec::new()));
    let result = f();
    let heard = HEARD.with_borrow_mut(Option::take).unwrap_or_default();
    (result, heard)
}
