//! The provider: intents, the key layer, and requests under way.

use crate::record::INTENTS;

/// Age of a key, in ticks since it was first seen, from which the provider may forget it.
pub const KEY_LIFE: u8 = 3;

/// What an intent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Created, and no attempt to pay made.
    Unconfirmed,
    /// Being paid; the end is open.
    Processing,
    /// Declined; the customer can still pay it.
    Declined,
    /// Paid.
    Succeeded,
    /// Canceled, for ever.
    Canceled,
}

/// An intent at the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Intent {
    /// The charge whose operation id it carries.
    pub charge: u8,
    /// What it is.
    pub status: Status,
}

/// What the bank says to an attempt to pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Paid.
    Paid,
    /// Declined.
    Declined,
    /// Not known yet.
    Processing,
}

impl Verdict {
    const fn status(self) -> Status {
        match self {
            Self::Paid => Status::Succeeded,
            Self::Declined => Status::Declined,
            Self::Processing => Status::Processing,
        }
    }
}

/// The provider's answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reply {
    /// The intent, and what it was.
    Is(u8, Status),
    /// An error after execution began; it is saved under the key.
    Error,
    /// The saved error again.
    SavedError,
    /// The same key is being executed.
    InFlight,
    /// Not done (429).
    NotDone,
    /// Refused as such (400).
    Refused,
    /// The intent is not in a state for this.
    Unexpected,
}

/// What a key has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// Its request is being executed.
    Running {
        /// Ticks since it was first seen.
        age: u8,
    },
    /// Its request was executed, with this result.
    Saved {
        /// The result.
        reply: Reply,
        /// Ticks since it was first seen.
        age: u8,
    },
}

impl Key {
    /// Lets one tick pass.
    pub const fn tick(&mut self) {
        match self {
            Self::Running { age } | Self::Saved { age, .. } if *age < KEY_LIFE => *age += 1,
            Self::Running { .. } | Self::Saved { .. } => {}
        }
    }
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ask {
    /// Create an intent for the charge and confirm it.
    Create(u8),
    /// Confirm the intent.
    Confirm(u8),
    /// Cancel the intent.
    Cancel(u8),
}

/// How far a request has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// On its way.
    Travelling,
    /// A create past the key layer, with nothing made yet.
    Begun,
    /// A create that has made its intent and not confirmed it yet.
    Created(u8),
}

/// A request under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request {
    /// What it asks for.
    pub ask: Ask,
    /// The worker that waits for the reply, if it still does.
    pub from: Option<u8>,
    /// How far it has come.
    pub stage: Stage,
    /// A tick has passed since it was sent; no second one will.
    pub late: bool,
}

/// What became of a request when something happened to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// It is under way still.
    Reached(Stage),
    /// It is over, with this reply.
    Over(Reply),
    /// It is lost: nothing comes back.
    Lost,
}

/// What the provider, or the network before it, does next with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Serve {
    /// The network loses it.
    Lose,
    /// It is turned away: too many requests (429).
    Limit,
    /// It is turned away as invalid (400).
    Refuse,
    /// It reaches the key layer.
    Arrive,
    /// It fails with a 500.
    Fail,
    /// It creates its intent.
    Create,
    /// It confirms its intent.
    Confirm(Verdict),
    /// It confirms its intent and then fails with a 500.
    ConfirmAndFail(Verdict),
    /// It cancels its intent.
    Cancel,
}

/// The provider's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Provider {
    /// The intents made so far.
    pub intents: [Option<Intent>; INTENTS],
    /// The key of each charge's create, if the provider knows it.
    pub keys: [Option<Key>; crate::record::CHARGES],
}

impl Provider {
    /// Lists what may happen next to a request.
    pub fn options(&self, request: &Request, with_processing: bool, options: &mut Vec<Serve>) {
        let verdicts = [Verdict::Paid, Verdict::Declined, Verdict::Processing];
        let verdicts = &verdicts[..2 + usize::from(with_processing)];
        // Turned away with nobody to hear it is the same as lost.
        let is_heard = request.from.is_some();
        match (request.stage, request.ask) {
            (Stage::Travelling, ask) => {
                options.push(Serve::Lose);
                options.extend(is_heard.then_some(Serve::Limit));
                match ask {
                    Ask::Create(_) => {
                        options.extend(is_heard.then_some(Serve::Refuse));
                        options.push(Serve::Arrive);
                    }
                    Ask::Confirm(_) => options.extend(verdicts.iter().copied().map(Serve::Confirm)),
                    Ask::Cancel(_) => options.push(Serve::Cancel),
                }
            }
            (Stage::Begun, _) => options.extend([Serve::Fail, Serve::Create]),
            (Stage::Created(_), _) => {
                options.push(Serve::Fail);
                options.extend(verdicts.iter().copied().map(Serve::Confirm));
                options.extend(verdicts.iter().copied().map(Serve::ConfirmAndFail));
            }
        }
    }

    /// Does one thing with a request.
    pub fn serve(&mut self, request: &Request, serve: Serve, without_keys: bool) -> Served {
        match (serve, request.ask, request.stage) {
            (Serve::Lose, _, _) => Served::Lost,
            (Serve::Limit, _, _) => Served::Over(Reply::NotDone),
            (Serve::Refuse, _, _) => Served::Over(Reply::Refused),
            (Serve::Arrive, Ask::Create(_), _) if without_keys => Served::Reached(Stage::Begun),
            (Serve::Arrive, Ask::Create(charge), _) => self.arrive(charge),
            (Serve::Create, Ask::Create(charge), _) => self.create(charge),
            (Serve::Fail, ask, _) => self.finish(ask, Reply::Error),
            (Serve::Confirm(verdict), ask, Stage::Created(intent)) => {
                let reply = self.change(intent, verdict.status());
                self.finish(ask, reply)
            }
            (Serve::ConfirmAndFail(verdict), ask, Stage::Created(intent)) => {
                self.change(intent, verdict.status());
                self.finish(ask, Reply::Error)
            }
            (Serve::Confirm(verdict), Ask::Confirm(intent), _) => {
                Served::Over(self.change(intent, verdict.status()))
            }
            (Serve::Cancel, Ask::Cancel(intent), _) => Served::Over(self.change(intent, Status::Canceled)),
            (
                Serve::Arrive | Serve::Create | Serve::Confirm(_) | Serve::ConfirmAndFail(_) | Serve::Cancel,
                _,
                stage,
            ) => Served::Reached(stage),
        }
    }

    fn arrive(&mut self, charge: u8) -> Served {
        match self.keys[usize::from(charge)] {
            Some(Key::Running { .. }) => Served::Over(Reply::InFlight),
            Some(Key::Saved { reply: Reply::Error, .. }) => Served::Over(Reply::SavedError),
            Some(Key::Saved { reply, .. }) => Served::Over(reply),
            None => {
                self.keys[usize::from(charge)] = Some(Key::Running { age: 0 });
                Served::Reached(Stage::Begun)
            }
        }
    }

    fn create(&mut self, charge: u8) -> Served {
        let Some(free) = self.intents.iter().position(Option::is_none) else {
            return self.finish(Ask::Create(charge), Reply::Error);
        };
        self.intents[free] = Some(Intent { charge, status: Status::Unconfirmed });
        Served::Reached(Stage::Created(free as u8))
    }

    /// Ends a request whose execution had begun: the key layer saves the result.
    fn finish(&mut self, ask: Ask, reply: Reply) -> Served {
        if let Ask::Create(charge) = ask
            && let Some(Key::Running { age }) = self.keys[usize::from(charge)]
        {
            self.keys[usize::from(charge)] = Some(Key::Saved { reply, age });
        }
        Served::Over(reply)
    }

    /// An intent changes only while nothing was decided about it, or only a decline.
    fn change(&mut self, intent: u8, to: Status) -> Reply {
        match &mut self.intents[usize::from(intent)] {
            Some(Intent { status: status @ (Status::Unconfirmed | Status::Declined), .. }) => {
                *status = to;
                Reply::Is(intent, to)
            }
            Some(_) | None => Reply::Unexpected,
        }
    }

    /// The intents that carry a charge's operation id, one bit each.
    #[must_use]
    pub fn intents_of(&self, charge: usize) -> u8 {
        let its = |&(_, intent): &(usize, &Option<Intent>)| {
            intent.is_some_and(|it| usize::from(it.charge) == charge)
        };
        self.intents.iter().enumerate().filter(its).fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// Whether a request by state comes too late to change anything.
    #[must_use]
    pub fn is_void_of_effect(&self, ask: Ask) -> bool {
        match ask {
            Ask::Create(_) => false,
            Ask::Confirm(intent) | Ask::Cancel(intent) => self.intents[usize::from(intent)]
                .is_some_and(|it| matches!(it.status, Status::Succeeded | Status::Canceled)),
        }
    }

    /// Changes what an intent is, from outside.
    pub const fn set(&mut self, intent: u8, status: Status) {
        if let Some(intent) = &mut self.intents[intent as usize] {
            intent.status = status;
        }
    }
}

impl Ask {
    /// Whether it makes a new intent.
    #[must_use]
    pub const fn is_create(self) -> bool {
        match self {
            Self::Create(_) => true,
            Self::Confirm(_) | Self::Cancel(_) => false,
        }
    }
}
