"""Runs SecantusDB: `python -m secantus`, with the same flags, and three things of its own.

It looks for garbage less often. It answers a query from a list of all documents found; by default Python goes through that list again and again
while it grows, and a REPLACE that reads 100,000 products waits twice as long for the first.

It ends as soon as its storage has given up (WiredTiger's WT_PANIC, as on a full disk: "the process must exit and restart"), as mongod does. The commit
that ran out of disk reports success otherwise: SecantusDB answered that it had stored 500 products that were gone afterwards.

Its pages may grow. WiredTiger evicts one that has more than 5 MB of changes in memory, and whoever comes to it waits for that: some 5 ms, again and again,
while another transaction stands on the page. A few thousand products are such a page from their first load to the next checkpoint, and most deltas
of theirs in that time stood still for five seconds or more. Tables that are there already keep what they have.
"""
import gc
import os
import runpy
import sys

import wiredtiger

EXIT_STORAGE_BROKEN = 70  # EX_SOFTWARE of sysexits.h


def end_over(error):
    """Anything but a panic is for whoever asked."""
    if "WT_PANIC" in str(error):
        sys.stderr.write("the storage has given up (" + str(error) + "); ending, before a commit is acknowledged that was not made\n")
        sys.stderr.flush()
        os._exit(EXIT_STORAGE_BROKEN)


def begin_transaction(self, *config):
    try:
        return wiredtiger_begin(self, *config)
    except wiredtiger.WiredTigerError as error:
        end_over(error)
        raise


def commit_transaction(self, *config):
    """Asks once more, before anybody hears of the commit: to begin a transaction needs nothing of the disk, and is refused after a panic."""
    try:
        result = wiredtiger_commit(self, *config)
    except wiredtiger.WiredTigerError as error:
        end_over(error)
        raise
    try:
        wiredtiger_begin(self)
        self.rollback_transaction()
    except wiredtiger.WiredTigerError as error:
        # Where it is no panic, the session's next statement meets it: this commit is made.
        end_over(error)
    return result


wiredtiger_begin = wiredtiger.Session.begin_transaction
wiredtiger_commit = wiredtiger.Session.commit_transaction
wiredtiger.Session.begin_transaction = begin_transaction
wiredtiger.Session.commit_transaction = commit_transaction


def create(self, name, config=None):
    if name.startswith("table:"):
        # Of what is said twice the last counts. WiredTiger takes a fiftieth of its cache where that is less.
        config = (config + "," if config else "") + "memory_page_max=64MB"
    return wiredtiger_create(self, name, config)


wiredtiger_create = wiredtiger.Session.create
wiredtiger.Session.create = create

gc.set_threshold(10_000, 50, 1_000)
runpy.run_module("secantus", run_name="__main__", alter_sys=True)
