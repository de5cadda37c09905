//! Holds what was seen against what is recorded, and prints it as a table.

use std::fmt;

use crate::{
    case::Outcome,
    deviations::{Deviation, Port},
};

/// What an outcome means, given what is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The subject does what the real service does.
    Conforms,
    /// It did this time; it is recorded that sometimes it does not.
    ConformsThisTime,
    /// It does not, and that is recorded.
    Deviates,
    /// It does not, and that is not recorded; or it does, and a deviation is recorded. The reason says which.
    Wrong(String),
}

/// What one port's suite showed.
#[derive(Debug)]
pub struct Report {
    port: Port,
    outcomes: Vec<(Outcome, Verdict)>,
    deviations: Vec<Deviation>,
    /// Recorded deviations that name no case.
    dangling: Vec<String>,
}

impl Report {
    /// Judges what was seen of a port by what is recorded of it.
    #[must_use]
    pub fn new(port: Port, outcomes: Vec<Outcome>, recorded: &[Deviation]) -> Self {
        let deviations: Vec<Deviation> =
            recorded.iter().filter(|deviation| deviation.port == port).cloned().collect();
        let names_a_case =
            |deviation: &&Deviation| outcomes.iter().any(|outcome| outcome.case == deviation.case);
        let dangling = deviations
            .iter()
            .filter(|deviation| !names_a_case(deviation))
            .map(|deviation| format!("{}: no case `{}`", deviation.subject, deviation.case))
            .collect();
        let judged = outcomes.into_iter().map(|outcome| {
            let verdict = judge(&outcome, &deviations);
            (outcome, verdict)
        });
        Self { port, outcomes: judged.collect(), deviations, dangling }
    }

    /// Returns whatever differs from what is recorded.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let wrong = self.outcomes.iter().filter_map(|(outcome, verdict)| match verdict {
            Verdict::Wrong(why) => Some(format!(
                "{} on {}: {why}\n    the real service: {} ({})",
                outcome.case, outcome.subject, outcome.says, outcome.source
            )),
            Verdict::Conforms | Verdict::ConformsThisTime | Verdict::Deviates => None,
        });
        wrong.chain(self.dangling.iter().cloned()).collect()
    }

    /// Returns the verdict on one case on one subject.
    #[must_use]
    pub fn verdict(&self, subject: &str, case: &str) -> Option<&Verdict> {
        let of = |(outcome, _): &&(Outcome, Verdict)| outcome.subject == subject && outcome.case == case;
        self.outcomes.iter().find(of).map(|(_, verdict)| verdict)
    }

    fn deviation(&self, outcome: &Outcome) -> Option<&Deviation> {
        find(outcome, &self.deviations)
    }
}

fn find<'a>(outcome: &Outcome, deviations: &'a [Deviation]) -> Option<&'a Deviation> {
    deviations.iter().find(|known| known.subject == outcome.subject && known.case == outcome.case)
}

fn judge(outcome: &Outcome, deviations: &[Deviation]) -> Verdict {
    match (&outcome.result, find(outcome, deviations)) {
        (Ok(()), None) => Verdict::Conforms,
        (Ok(()), Some(known)) if known.sometimes => Verdict::ConformsThisTime,
        (Err(why), Some(known)) if why.contains(&known.shows) => Verdict::Deviates,
        (Err(why), None) => Verdict::Wrong(format!("a deviation that is not recorded: {why}")),
        (Err(why), Some(known)) => {
            Verdict::Wrong(format!("not the recorded deviation (`{}`): {why}", known.shows))
        }
        (Ok(()), Some(known)) => {
            Verdict::Wrong(format!("a recorded deviation no longer shows: {}", known.does))
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut subjects: Vec<&str> = Vec::new();
        let mut cases: Vec<&str> = Vec::new();
        for (outcome, _) in &self.outcomes {
            if !subjects.contains(&outcome.subject) {
                subjects.push(outcome.subject);
            }
            if !cases.contains(&outcome.case) {
                cases.push(outcome.case);
            }
        }
        let widest = cases.iter().map(|case| case.len()).max().unwrap_or_default();
        write!(f, "\n{:widest$}", format!("{}, {} cases", self.port.name(), cases.len()))?;
        for subject in &subjects {
            write!(f, "  {subject:10}")?;
        }
        for case in &cases {
            write!(f, "\n{:widest$}", case.replace('_', " "))?;
            for subject in &subjects {
                let word = match self.verdict(subject, case) {
                    Some(Verdict::Conforms) => "ok",
                    Some(Verdict::ConformsThisTime) => "not always",
                    Some(Verdict::Deviates) => "deviates",
                    Some(Verdict::Wrong(_)) => "WRONG",
                    None => "",
                };
                write!(f, "  {word:10}")?;
            }
        }
        writeln!(f)?;
        for (outcome, verdict) in &self.outcomes {
            if let (Verdict::Deviates, Some(known)) = (verdict, self.deviation(outcome)) {
                let (subject, case) = (outcome.subject, outcome.case.replace('_', " "));
                writeln!(f, "  {subject} deviates in `{case}`: {}", known.does)?;
                writeln!(f, "      the real service: {} ({})", outcome.says, outcome.source)?;
            }
        }
        for fault in self.faults() {
            writeln!(f, "  WRONG {fault}")?;
        }
        Ok(())
    }
}
