"""Runs SecantusDB: `python -m secantus`, with the same flags, and two things of its own.

It looks for garbage less often. It answers a query from a list of all documents found; by default Python goes through that list again and again
while it grows, and a REPLACE that reads 100,000 products waits twice as long for the first.

It ends as soon as its storage has given up (WiredTiger's WT_PANIC, as on a full disk: "the process must exit and restart"), as mongod does. The commit
that ran out of disk reports success otherwise: SecantusDB answered that it had stored 500 products that were gone afterwards.
"""
import gc
import os
import runpy
import sys

import wiredtiger

EXIT_STORAGE_BROKEN = 70  # EX_SOFTWARE of sysexits.h


def end_if_broken(session):
    """After a commit, and before anybody hears of it. Beginning a transaction asks nothing of the disk, and is refused after a panic."""
    try:
        session.begin_transaction()
        session.rollback_transaction()
    except wiredtiger.WiredTigerError as error:
        # Anything else is for the session's next statement to meet: this commit is done.
        if "WT_PANIC" not in str(error):
            return
        sys.stderr.write("the storage has given up in a commit (" + str(error) + "); ending before it is acknowledged\n")
        sys.stderr.flush()
        os._exit(EXIT_STORAGE_BROKEN)


def commit_transaction(self, config=None):
    result = wiredtiger_commit(self, config)
    end_if_broken(self)
    return result


wiredtiger_commit = wiredtiger.Session.commit_transaction
wiredtiger.Session.commit_transaction = commit_transaction

gc.set_threshold(10_000, 50, 1_000)
runpy.run_module("secantus", run_name="__main__", alter_sys=True)
