//! The loop that lets events happen in their order, and workers live and die.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use aws_lambda_events::sqs::SqsBatchResponse;
use payment::PaymentId;

use crate::{
    breakage::Breakage,
    broken, invariants,
    kinds::Kind,
    options::{FUNCTION_TIMEOUT_MS, VISIBILITY_MS},
    queue::Message,
    settled,
    state::{Event, PauseId, START_MS, Shared, State, TaskId, Wake},
};

/// The most events one run may take: more means that it does not settle.
const MAX_STEPS: u64 = 40_000;

pub(crate) enum Work {
    Settle { messages: Vec<Message> },
    Sweep,
    Publish { to: usize },
}

pub(crate) enum Done {
    Settle(Result<SqsBatchResponse, settle::Unreportable>),
    Sweep,
    Publish(Option<String>),
}

pub(crate) struct Task {
    pub(crate) work: Work,
    /// The payment that the worker is about: the first of its batch.
    pub(crate) payment: Option<PaymentId>,
    pub(crate) future: Pin<Box<dyn Future<Output = Done>>>,
}

pub(crate) struct Driver {
    pub(crate) shared: Shared,
    pub(crate) tasks: BTreeMap<TaskId, Task>,
    pub(crate) next_task: TaskId,
}

impl Driver {
    pub(crate) fn run(&mut self) {
        self.with(|state| {
            for index in 0..state.options.orders.len() {
                let at = START_MS + state.options.orders[index].at;
                state.schedule(at, Event::Command(index));
            }
            for at in [state.options.redrive_at, Some(state.options.calm_at)].into_iter().flatten() {
                state.schedule(START_MS + at, Event::Redrive);
            }
        });
        while let Some(event) = self.with(State::next_event) {
            let steps = self.with(|state| {
                state.steps += 1;
                state.steps
            });
            if steps > MAX_STEPS {
                self.with(|state| state.violate(format!("not settled after {MAX_STEPS} steps")));
                return;
            }
            self.handle(event);
            if self.with(|state| !state.violations.is_empty()) {
                return;
            }
        }
        self.with(settled::check_end);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Resume(pause, wake) => self.resume(pause, wake),
            Event::StripeFinish { request } => self.with(|state| {
                state.finish_request(request);
                invariants::check_effects(state);
            }),
            Event::Receive => self.receive(),
            Event::Sweep => self.sweep(),
            Event::Publish => self.publish(),
            Event::Kill(task) => {
                if let Some(task) = self.tasks.remove(&task) {
                    self.with(|state| state.struck(Kind::FunctionTimeout, task.payment.as_ref()));
                    self.bury(task);
                }
            }
            Event::Command(index) => self.with(|state| {
                let asked = Rc::clone(&state.asked);
                let asked = &asked[index];
                let group = asked.payment.as_str();
                let (id, body) = broken::renamed(state, asked, index);
                let taken = state.queue.send(state.now, group, &id, &body);
                state.note(|| format!("command taken={taken} {}", asked.body));
                invariants::remember_order(state, asked);
                let at = state.now + 5;
                state.schedule(at, Event::Receive);
            }),
            Event::SettleProcessing { id, succeed } => self.with(|state| {
                // It may have been canceled in the meantime.
                let _ = state.stripe.settle_processing(state.now, &id, succeed);
                state.note(|| format!("{id} leaves processing, paid={succeed}"));
                state.let_time_pass_for(&id);
                state.plan_webhooks_of(&id);
                invariants::check_effects(state);
            }),
            Event::CancelOutside { id } => self.with(|state| {
                let path = format!("/v1/payment_intents/{id}/cancel");
                let request = stripe_sim::Request::post(&path, "", "sk_test_sim", &format!("outside-{id}"));
                let reply = state.stripe.handle(state.now, &request, stripe_sim::Fault::None);
                if reply.status == 200 {
                    let payment = state.payment_of_object(&id);
                    state.struck(Kind::CanceledOutside, payment.as_ref());
                    state.plan_webhooks_of(&id);
                }
                invariants::check_effects(state);
            }),
            Event::CustomerPays { id } => self.with(|state| {
                if state.stripe.customer_pays(state.now, &id).is_ok() {
                    let payment = state.payment_of_object(&id);
                    state.struck(Kind::CustomerPays, payment.as_ref());
                    state.let_time_pass_for(&id);
                    state.plan_webhooks_of(&id);
                }
                invariants::check_effects(state);
            }),
            Event::CaptureOutside { id } => self.with(|state| {
                state.capture_outside(&id);
                invariants::check_effects(state);
            }),
            Event::TimePasses { id } => self.with(|state| {
                state.pass_time(&id);
                invariants::check_effects(state);
            }),
            Event::Webhook { id } => self.with(|state| state.deliver_webhook(&id)),
            Event::Redrive => self.with(|state| {
                for (group, age_ms) in state.queue.redrive(state.now) {
                    state.redriven.push(group.clone());
                    if age_ms >= effect::hours(24) {
                        state.struck(Kind::LateRedrive, group.parse().ok().as_ref());
                    }
                }
                let at = state.now + 5;
                state.schedule(at, Event::Receive);
            }),
        }
    }

    /// Lets a paused call go on, unless its worker dies there.
    fn resume(&mut self, pause: PauseId, wake: Wake) {
        let task = self.with(|state| state.pauses.get(&pause).map(|waiting| waiting.task));
        let payment = task.and_then(|id| self.tasks.get(&id)).and_then(|task| task.payment.as_ref());
        let resumed = self.with(|state| {
            let waiting = state.pauses.get_mut(&pause)?;
            if waiting.woken.is_some() {
                return None;
            }
            waiting.woken = Some(wake);
            let (task, point) = (waiting.task, waiting.point);
            let number = state.points;
            state.points += 1;
            state.note(|| format!("w{task} {point} {wake:?}"));
            let dies = if state.options.crash_at.contains(&number) {
                state.struck(Kind::Crash, payment);
                true
            } else {
                state.strikes(Kind::Crash, payment)
            };
            if dies {
                state.note(|| format!("w{task} dies at `{point}` (pause point {number})"));
            }
            Some((task, dies))
        });
        match resumed {
            Some((task, true)) => {
                if let Some(task) = self.tasks.remove(&task) {
                    self.bury(task);
                }
            }
            Some((task, false)) => self.poll(task),
            None => {}
        }
    }

    pub(crate) fn poll(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get_mut(&id) else { return };
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(done) = task.future.as_mut().poll(&mut context)
            && let Some(task) = self.tasks.remove(&id)
        {
            self.complete(task, done);
        }
    }

    fn complete(&mut self, task: Task, done: Done) {
        match (task.work, done) {
            (Work::Settle { messages }, Done::Settle(Ok(response))) => self.with(|state| {
                let failed: Vec<String> =
                    response.batch_item_failures.into_iter().map(|failure| failure.item_identifier).collect();
                let failed = broken::misreport(state, failed);
                for message in &messages {
                    if failed.contains(&message.id.to_string()) {
                        continue;
                    }
                    if state.queue.delete(state.now, message) {
                        invariants::check_acknowledged(state, &message.group);
                    }
                }
                let at = state.now + 1;
                state.schedule(at, Event::Receive);
            }),
            (Work::Publish { to }, Done::Publish(stopped_at)) => self.with(|state| {
                state.publish_planned = false;
                state.published_to = match stopped_at.and_then(|at| at.parse::<usize>().ok()) {
                    Some(_) if state.is_broken(Breakage::CheckpointSkips) => to,
                    Some(sequence) => sequence.saturating_sub(1),
                    // A stream batch may come again although it went well.
                    None if state.strikes(Kind::StreamRepeat, None) => state.published_to,
                    None => to,
                };
                state.plan_publish(1_000);
            }),
            (work, _) => self.bury(Task { work, payment: task.payment, future: task.future }),
        }
    }

    /// What happens outside when a worker ends without an answer.
    fn bury(&mut self, task: Task) {
        let Task { work, payment: _, future } = task;
        drop(future);
        self.with(|state| match work {
            // Its messages become visible again by themselves.
            Work::Settle { .. } => {}
            Work::Sweep => {
                let earliest = state.table.values().filter_map(|record| record.due_at).min();
                if let Some(due_at) = earliest {
                    state.plan_sweep_for(due_at);
                }
            }
            Work::Publish { .. } => {
                state.publish_planned = false;
                state.plan_publish(1_000);
            }
        });
    }

    fn receive(&mut self) {
        let resumes_at = self.with(|state| {
            let (from, length) = state.options.queue_paused.filter(|span| state.is_within(Some(*span)))?;
            Some(START_MS + from + length)
        });
        if let Some(at) = resumes_at {
            return self.with(|state| {
                if !state.resume_planned {
                    state.resume_planned = true;
                    state.schedule(at, Event::Receive);
                }
            });
        }
        loop {
            let messages = self.with(|state| {
                let limit = 1 + state.rng.below(10) as usize;
                let mut rng = state.rng.clone();
                let in_order = !state.is_broken(Breakage::GroupOrderBroken);
                let messages = state.queue.receive(state.now, limit, in_order, || 1 + rng.below(4) as usize);
                state.rng = rng;
                messages
            });
            if messages.is_empty() {
                break;
            }
            let payment = messages.first().and_then(|message| message.group.parse().ok());
            if self.with(|state| state.strikes(Kind::DuplicateDelivery, payment.as_ref())) {
                self.settle(messages.clone());
            }
            self.settle(messages);
        }
        self.with(|state| {
            if let Some(at) = state.queue.next_visible().filter(|at| *at > state.now) {
                state.schedule(at, Event::Receive);
            }
            // Once faults have stopped, a person redrives whatever is still set aside.
            if state.is_calm() && !state.queue.dead.is_empty() {
                let at = state.now + effect::hours(1);
                state.schedule(at, Event::Redrive);
            }
            const { assert!(VISIBILITY_MS >= FUNCTION_TIMEOUT_MS, "a batch is over before it comes again") };
        });
    }

    pub(crate) fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.shared.0.borrow_mut())
    }
}
