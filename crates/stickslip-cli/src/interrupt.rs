//! Ctrl-C: the first one asks the work to stop, the second one ends the program.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Listens from now on. Where the system does not let us, Ctrl-C ends the program as it always did.
pub(crate) fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        let handler = || {
            if ASKED.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        };
        if ctrlc::set_handler(handler).is_err() {
            eprintln!("stickslip: Ctrl-C cannot be caught here; it would leave no files");
        }
    });
}

/// Whether someone asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
