import { Devices } from './queries/devices';
import type { Connection } from './engine/engine';
import { Exams } from './queries/exams';
import { MarkRequests } from './outbox/mark-requests';
import { Messages } from './outbox/messages';
import { NoteTypes } from './queries/note-types';
import { Outbox } from './outbox/outbox';
import { Retention } from './outbox/retention';
import { SentCodes } from './outbox/sent-codes';
import { Students } from './queries/students';

/** Everything that can be asked and told, over one connection. */
export class Subjects {
  readonly devices: Devices;
  readonly students: Students;
  readonly exams: Exams;
  readonly noteTypes: NoteTypes;
  readonly messages: Messages;
  readonly markRequests: MarkRequests;
  readonly outbox: Outbox;
  readonly retention: Retention;
  readonly sentCodes: SentCodes;

  constructor(connection: Connection) {
    this.devices = new Devices(connection);
    this.students = new Students(connection);
    this.exams = new Exams(connection);
    this.noteTypes = new NoteTypes(connection);
    this.messages = new Messages(connection);
    this.markRequests = new MarkRequests(connection);
    this.outbox = new Outbox(connection);
    this.retention = new Retention(connection);
    this.sentCodes = new SentCodes(connection);
  }
}
