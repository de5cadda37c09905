//! Replays the inputs kept of the fuzzer: the seeds, and those that once failed.

use std::{fs, path::Path};

#[test]
fn every_input_kept_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (target, property) in fuzz::TARGETS {
        let mut replayed = 0;
        for kept in ["corpus", "crashes"] {
            let folder = root.join(kept).join(target);
            // Most targets never failed, and have no such folder.
            for file in fs::read_dir(folder).into_iter().flatten() {
                let path = file.unwrap().path();
                println!("{}", path.display());
                property(&fs::read(path).unwrap());
                replayed += 1;
            }
        }
        assert!(replayed > 0, "{target} has no inputs");
    }
}
