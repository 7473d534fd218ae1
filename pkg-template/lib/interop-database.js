// The database of the durable stores: how it is opened, what a transaction is, and what each of its failures is called.
// It knows no rule of a store, only that a step which throws undoes all of its transaction. `interop-stores.js` calls it.

import { InteropError } from "./interop-errors.js";

/** Of the layout below. A page that meets a higher one is older than the data. */
const VERSION = 1;
/** The object stores, and the index that pruning walks along. */
const RECORDS = "records";
const BY_STATE = "state";
const SEQUENCES = "sequences";
const NUMBERS = "numbers";
const ALLOCATED = "allocated";
const ROOMS = "rooms";
export { ALLOCATED, BY_STATE, NUMBERS, RECORDS, ROOMS, SEQUENCES };

const CODES = {
  QuotaExceededError: ["STORE_QUOTA", "expected room: the browser gives this origin no more storage. What was stored before is as it was"],
  VersionError: ["STORE_VERSION", "expected a database of this version of the package or an older one: load the page again"],
  SecurityError: ["STORE_UNAVAILABLE", "expected IndexedDB, which this page may not use"],
};

const failure = (code, message, cause) => new InteropError(code, message, cause === undefined ? {} : { cause });

/** What went wrong with the database, by its stable code. */
const typed = (error, otherwise = ["STORE_FAILED", "the database failed, and what was asked has not happened"]) => {
  const [code, message] = CODES[error?.name] ?? otherwise;
  return failure(code, message, error ?? undefined);
};

const layOut = (db) => {
  db.createObjectStore(RECORDS).createIndex(BY_STATE, ["state", "reservedUntilLogicalMs"]);
  for (const name of [SEQUENCES, NUMBERS, ALLOCATED, ROOMS]) db.createObjectStore(name);
};

/** An open database. A connection that has ended says why; it does not come back by itself. */
class Database {
  #db;
  #durability;
  /** Why nothing new begins. */
  #ended;
  #isClosed = false;
  /** What keeps the connection: runs that may have begun and have not ended. */
  #holds = new Set();
  /** Rejects each transaction under way. */
  #pending = new Set();

  constructor(db, durability) {
    this.#db = db;
    this.#durability = durability;
    // Another tab wants to upgrade or to delete it, and waits for this one. What runs here must not be forgotten under it: in
    // a database that is made anew it could begin a second time.
    db.onversionchange = () => this.#end("another tab upgrades the database or deletes it: load the page again");
    db.onclose = () => {
      this.close("the browser has closed the database, as when a person clears the site's data");
      // A transaction that was made after the end hears of nothing, in Chromium at least.
      for (const lost of this.#pending) lost(this.#closed());
    };
  }

  #closed() {
    return failure("STORE_CLOSED", `expected open stores: ${this.#ended}`);
  }

  #end(reason) {
    this.#ended ??= reason;
    if (this.#holds.size === 0) this.close();
  }

  /** Transactions under way come to their end. */
  close(reason = "the stores are closed") {
    this.#ended ??= reason;
    this.#isClosed = true;
    this.#db.close();
  }

  /** Keeps the connection as long as this run has not ended. */
  hold(run) {
    this.#holds.add(run);
  }

  letGo(run) {
    this.#holds.delete(run);
    if (this.#ended !== undefined && !this.#isClosed && this.#holds.size === 0) this.close();
  }

  /**
   * Runs `steps`, a generator that yields requests and gets their results, in one transaction. Resolves to what it
   * returns once that is kept; an error that it throws undoes everything and is the rejection. `isOld`: it is for what began
   * before.
   */
  run(names, mode, steps, isOld = false) {
    return new Promise((resolve, reject) => {
      let transaction;
      try {
        if (isOld ? this.#isClosed : this.#ended !== undefined) throw this.#closed();
        transaction = this.#db.transaction(names, mode, { durability: this.#durability });
      } catch (error) {
        reject(error instanceof InteropError ? error : typed(error));
        return;
      }
      let result;
      let thrown;
      this.#pending.add(reject);
      transaction.oncomplete = () => {
        this.#pending.delete(reject);
        resolve(result);
      };
      transaction.onabort = () => {
        this.#pending.delete(reject);
        // Without an error of its own it was a step that threw, or somebody else ended it.
        reject(transaction.error ? typed(transaction.error) : (thrown ?? typed()));
      };
      const go = (value) => {
        try {
          const { done, value: next } = running.next(value);
          if (done) result = next;
          else next.onsuccess = () => go(next.result);
        } catch (error) {
          thrown = error instanceof InteropError ? error : typed(error);
          try {
            transaction.abort();
          } catch {
            // The browser has done so already, and `transaction.error` says why.
          }
        }
      };
      const running = steps(...names.map((name) => transaction.objectStore(name)));
      go();
    });
  }
}

/** Opens the database of this name, or makes it. */
export const openDatabase = (name, { durability, openTimeoutMs }) =>
  new Promise((resolve, reject) => {
    let request;
    let timer;
    const fail = (error) => {
      clearTimeout(timer);
      reject(error);
    };
    try {
      request = globalThis.indexedDB.open(name, VERSION);
    } catch (error) {
      // There is none, or an origin that is nobody's asks for it.
      fail(typed(error, ["STORE_UNAVAILABLE", "expected IndexedDB, which is not here"]));
      return;
    }
    let isLate = false;
    timer = setTimeout(() => {
      isLate = true;
      reject(failure("STORE_BLOCKED", `expected the database \`${name}\` within ${openTimeoutMs} ms: another tab keeps it open in an older version, or while it is deleted. Close the other tabs of this site`));
    }, openTimeoutMs);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion === 0) layOut(request.result);
    };
    request.onerror = () => fail(typed(request.error, ["STORE_UNAVAILABLE", "expected IndexedDB to open, as it does not where a browser keeps nothing"]));
    request.onsuccess = () => {
      clearTimeout(timer);
      const db = request.result;
      const isOurs = [RECORDS, SEQUENCES, NUMBERS, ALLOCATED, ROOMS].every((each) => db.objectStoreNames.contains(each));
      if (!isLate && isOurs) {
        resolve(new Database(db, durability));
        return;
      }
      db.close();
      fail(failure("STORE_FAILED", `expected \`${name}\` to be a database of these stores: something else has this name`));
    };
  });
