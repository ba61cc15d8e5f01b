import type { Generated } from 'kysely';

export type EngineName = 'sqlite' | 'postgres';

/**
 * The tables, for both engines. Points in time are whole milliseconds since 1970 UTC, truth values are 0
 * and 1, exam dates and times are text as the school wrote them (a timetable has no time zone).
 */
export interface Database {
  readonly schools: SchoolTable;
  readonly classes: ClassTable;
  readonly students: StudentTable;
  readonly devices: DeviceTable;
  readonly exams: ExamTable;
  readonly exam_entries: ExamEntryTable;
  readonly note_types: NoteTypeTable;
  readonly notes: NoteTable;
  readonly messages: MessageTable;
  readonly caller_codes: CallerCodesTable;
  readonly code_traffic: CodeTrafficTable;
  readonly held_areas: HeldAreaTable;
  readonly daily_usage: DailyUsageTable;
  readonly erasures: ErasureTable;
  readonly figures: FigureTable;
  readonly caller_days: CallerDayTable;
  readonly nodes: NodeTable;
  readonly marks: MarkTable;
  readonly new_database: NewDatabaseTable;
}

/** What befell the database as a whole. */
interface MarkTable {
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly detail: string;
}

/** Processes that share a machine, and what they last said of themselves. */
interface NodeTable {
  /** Unique among the nodes of a database. */
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly heard_at: number;
  /** JSON: NodeFacts. */
  readonly facts: string;
}

interface SchoolTable {
  /** Stands for `base_url` in the other tables: a URL may be longer than an index entry of PostgreSQL. */
  readonly id: Generated<number>;
  /** Canonical; see canonicalSchoolUrl. */
  readonly base_url: string;
  readonly name: string;
}

interface ClassTable {
  readonly school_id: number;
  readonly id: string;
  readonly name: string;
}

interface StudentTable {
  readonly school_id: number;
  readonly id: string;
  readonly full_name: string;
  /** One character. */
  readonly show_active: string;
  /** Null: in no class. */
  readonly class_id: string | null;
  /**
   * The student's current device, empty for none. Follows from `devices`, kept here because the list of a
   * school's students is read far more often than a device changes; see current-device.ts.
   */
  readonly device_id: string;
}

interface DeviceTable {
  readonly id: string;
  readonly school_id: number;
  readonly student_id: string;
  readonly token: string;
  readonly platform: string;
  readonly last_seen: number | null;
  /** 0 once the push provider has declared the token dead. */
  readonly valid: number;
}

interface ExamTable {
  readonly id: string;
  readonly name: string;
}

interface ExamEntryTable {
  readonly exam_id: string;
  readonly subject_name: string;
  /** YYYY-MM-DD */
  readonly exam_date: string;
  /** HH:MM */
  readonly start_time: string;
  readonly duration_minutes: number;
}

interface NoteTypeTable {
  readonly id: string;
  readonly name: string;
}

interface NoteTable {
  readonly school_id: number;
  readonly id: string;
  readonly note_type: string | null;
  readonly title: string;
  readonly text: string;
}

/** What is to be delivered, and what became of it. */
export interface MessageTable {
  /** UUID version 7: sorts by creation. */
  readonly id: string;
  readonly channel: string;
  readonly state: string;
  readonly recipient: string;
  /** Canonical URL of the school, empty where there is none; it need not be a known school. */
  readonly school: string;
  /** JSON; null once it is erased. */
  readonly payload: string | null;
  readonly dedupe_key: string | null;
  readonly attempts: number;
  readonly next_attempt_at: number;
  readonly lease_owner: string | null;
  readonly lease_until: number | null;
  readonly expires_at: number;
  readonly provider_id: string | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** Name of who asked for it; null where nobody is known. */
  readonly caller: string | null;
  /** Where a code of the last day goes, for those that count it; null for everything else. */
  readonly area: string | null;
  /** Of a push message, the request that it was made of; null where that is not known, and for everything else. */
  readonly request_id: string | null;
  /** When push messages were made of a request; null before, and for everything else. */
  readonly resolved_at: number | null;
  /** How many students of the class had no telephone to send to, when push messages were made of a request. */
  readonly without_device: number | null;
  /** Every attempt to deliver it, a line of JSON each; null or empty before the first one. */
  readonly attempt_log: string | null;
  /** As how many SMS it was sent; null where it was not, and for everything else. */
  readonly parts: number | null;
  /** Of a code, to which country it goes; see UsageCount. Null where that is not known, and for everything else. */
  readonly country: string | null;
  /** Of a request, the note that it is for; null where that is not known, and for everything else. */
  readonly note: string | null;
}

/** How many messages there were that are there no more. */
interface DailyUsageTable {
  /** Of all that tells one row from another; a school's URL may be longer than an index entry of PostgreSQL. */
  readonly digest: string;
  /** On which the messages were taken on: YYYY-MM-DD */
  readonly day: string;
  readonly channel: string;
  readonly state: string;
  /** Canonical URL, empty where there was none. */
  readonly school: string;
  /** See UsageCount. */
  readonly country: string;
  /** Empty for all callers that were not known. */
  readonly caller: string;
  readonly messages: number;
  /** As how many SMS they were sent. */
  readonly parts: number;
}

/** What commands took out, until a service tells its log. */
interface ErasureTable {
  readonly command: string;
  /** How many of each kind, as JSON. */
  readonly removed: string;
  readonly at: number;
}

/** What was counted in a minute or an hour, of all processes together. */
interface FigureTable {
  /** `minute` or `hour`; both are counted at once. */
  readonly step: string;
  /** When that began. */
  readonly at: number;
  /** What is counted; by it, what the labels are. See Counted. */
  readonly figure: string;
  readonly first: string;
  readonly second: string;
  readonly third: string;
  readonly counted: number;
}

/** Who called an operation on a day. */
interface CallerDayTable {
  /** Days since 1970 UTC. */
  readonly day: number;
  /** Empty for who is not known by a name. */
  readonly caller: string;
  /** Of who is not known by a name, as much as the log may hold of it. */
  readonly address: string;
  readonly agent: string;
  readonly operation: string;
  readonly binding: string;
  readonly requests: number;
  readonly last_seen_at: number;
}

/** How many codes were taken on for delivery, all telephones together. */
interface CallerCodesTable {
  /** Days since 1970 UTC. */
  readonly day: number;
  /** Empty for all callers that are not known. */
  readonly caller: string;
  readonly codes: number;
}

/** How many codes went where, a day ago and longer. */
interface CodeTrafficTable {
  /** Empty for all callers that are not known. */
  readonly caller: string;
  /** A country, or a range of its numbers behind a colon. */
  readonly area: string;
  /** Days since 1970 UTC. */
  readonly day: number;
  readonly codes: number;
}

/** Where more codes went than usual. */
interface HeldAreaTable {
  readonly area: string;
  readonly caller: string;
  readonly held_from: number;
  readonly held_until: number;
  readonly codes: number;
}

/** A row while the database is new. */
interface NewDatabaseTable {
  readonly is_new: number;
}
