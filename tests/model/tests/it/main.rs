//! Explores the model, whole and with each rule broken.

mod broken;
mod checker;
mod exhaustive;
