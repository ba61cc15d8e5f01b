import { Devices } from './devices';
import type { Connection } from './engine';
import { Exams } from './exams';
import { Messages } from './messages';
import { NoteTypes } from './note-types';
import { Students } from './students';

/** Everything that can be asked and told, over one connection. */
export class Subjects {
  readonly devices: Devices;
  readonly students: Students;
  readonly exams: Exams;
  readonly noteTypes: NoteTypes;
  readonly messages: Messages;

  constructor(connection: Connection) {
    this.devices = new Devices(connection);
    this.students = new Students(connection);
    this.exams = new Exams(connection);
    this.noteTypes = new NoteTypes(connection);
    this.messages = new Messages(connection);
  }
}
