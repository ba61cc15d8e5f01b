import { EXACT_KEYS, type KeyCollation } from '../support/key-collation';
import type { Connection, Repository } from './engine/engine';
import { MarkRequests } from './outbox/mark-requests';
import { Messages } from './outbox/messages';
import { Outbox } from './outbox/outbox';
import { Refusals } from './outbox/refusals';
import { RequestEnds } from './outbox/request-ends';
import { Erasures, Retention } from './outbox/retention';
import { SentCodes } from './outbox/sent-codes';
import { Devices } from './queries/devices';
import { Exams, NoteTypes } from './queries/exams';
import { Schools } from './queries/schools';
import { Students } from './queries/students';

/** All queries and commands of the store. */
export class Queries {
  readonly schools: Schools;
  readonly devices: Devices;
  readonly students: Students;
  readonly exams: Exams;
  readonly noteTypes: NoteTypes;
  readonly messages: Messages;
  readonly markRequests: MarkRequests;
  readonly outbox: Outbox;
  readonly requestEnds: RequestEnds;
  readonly retention: Retention;
  readonly erasures: Erasures;
  readonly refusals: Refusals;
  readonly sentCodes: SentCodes;

  protected readonly connection: Connection;

  /** @param reads - connection for reading the school's data, if it differs */
  constructor(connection: Connection, reads = connection, keys = EXACT_KEYS) {
    this.connection = connection;
    this.schools = new Schools(reads);
    this.devices = new Devices(reads);
    this.students = new Students(reads, keys !== EXACT_KEYS);
    this.exams = new Exams(reads);
    this.noteTypes = new NoteTypes(reads);
    this.messages = new Messages(connection);
    this.markRequests = new MarkRequests(connection);
    this.outbox = new Outbox(connection);
    this.requestEnds = new RequestEnds(connection);
    this.retention = new Retention(connection);
    this.erasures = new Erasures(connection);
    this.refusals = new Refusals(connection);
    this.sentCodes = new SentCodes(connection);
  }

  /** Returns a repository of a feature, whose statements run on the same connection. */
  repository<T extends Repository>(Kind: new (connection: Connection) => T): T {
    return new Kind(this.connection);
  }
}

/** Work in one transaction, which is kept completely or not at all. */
export class Transaction extends Queries {
  constructor(connection: Connection, keys: KeyCollation) {
    super(connection, connection, keys);
  }

  /**
   * Waits for other transactions with locks of these names, and holds the locks until this transaction ends;
   * the order of the names does not matter. Callers that lock in several steps must do so in the same order.
   */
  lock(...names: readonly string[]): Promise<void> {
    return this.connection.lock(names);
  }
}
