import type { Command } from 'commander';
import type { Logger } from 'pino';
import type { ZodType } from 'zod';

import type { AlertCore, AlertWatcher } from '../admin/alerts/alerts';
import type { AlertRule } from '../admin/alerts/rule';
import type { ConsoleCore, ConsolePart } from '../admin/console/console-part';
import type { ActionLog } from '../admin/login/actions';
import type { CheckSection, SectionContent } from '../admin/reports/checks';
import type { Language } from '../admin/texts/words';
import type { Host, OfferedCommand } from '../cli/run-command';
import type { Config } from '../config';
import type { Setting } from '../config/kinds';
import type { OpenCodeGuard, ReceiptFields, TakeReceipts } from '../delivery';
import type { DeliveryFile, NotBefore } from '../delivery/wording';
import type { Front, FrontCore } from '../service/front';
import type { ScheduledWork, WorkCore } from '../service/scheduled-work';
import type { MaskedCode, StoreInspection } from '../store';
import type { BookReader } from '../store/csv/book';
import type { Connection } from '../store/statements';
import type { Calendar } from '../support/calendar';
import type { Finding } from '../support/errors';
import type { Tracing } from '../telemetry';
import { FEATURES } from '.';

/**
 * Describes what a feature adds to the service: the exports of its `index.ts`, each of them optional. That
 * file is loaded with the settings, so it imports most of its folder only when a member is called.
 */
export interface Feature {
  /** Names of the features whose files it uses. */
  readonly needs?: readonly string[];
  /** Settings below those of the core, with the title of their section. */
  readonly settings?: {
    readonly title: string;
    readonly rows: Readonly<Record<string, Setting>>;
    /** Says what to do about settings of earlier versions, by name. */
    readonly retired?: Readonly<Record<string, string>>;
  };
  /** A language that it adds to the console. */
  readonly language?: ConsoleLanguage;
  /**
   * Translations of texts by the tag of their language and by the English ones; values have names in braces.
   */
  readonly texts?: Translations;
  /** Translations of whole lines, such as findings and errors of imports. */
  readonly lines?: Translations;
  /** Address of the console's pages with the documents of docs/; without it, no page links to them. */
  readonly helpAddress?: string;
  /** Commands of the terminal by their names. */
  readonly commands?: Readonly<Record<string, OfferedCommand>>;
  /** Adds commands to the command `gateways`. Their code is loaded only when they are run. */
  readonly gatewayCommands?: (gateways: Command, host: Host) => void;
  /** Fields of a country in DELIVERY_FILE. */
  readonly countryFields?: Readonly<Record<string, ZodType>>;
  /** Fields of a school in DELIVERY_FILE. */
  readonly schoolFields?: Readonly<Record<string, ZodType>>;
  /** Returns until when messages of schools wait; called at each start and reload. */
  readonly openHours?: (config: Config, file: DeliveryFile) => NotBefore;
  /** Reads .xlsx workbooks for an import, and writes workbooks to fill in. */
  readonly books?: {
    readonly load: () => Promise<BookReader>;
    /** @returns a workbook to fill in */
    readonly template: (language: Language) => Promise<Buffer>;
  };
  /**
   * Called before messages are removed, in the same transaction.
   *
   * @param calendar - in which they are counted
   */
  readonly countRemoved?: (
    connection: Connection,
    messageIds: readonly string[],
    calendar: Calendar,
  ) => Promise<void>;
  /** Called when phone numbers of codes are masked, in the same transaction. */
  readonly countMasked?: (connection: Connection, masked: readonly MaskedCode[]) => Promise<void>;
  /** Removes its rows that are too old to be of use, every few minutes, in a transaction. */
  readonly removeOutdated?: (connection: Connection, now: number) => Promise<void>;
  /** Keeps what users of the console, commands and the service do. The core waits until it is stored. */
  readonly actionLog?: ActionLog;
  /** Called once on each node, also if the console's port is off. */
  readonly openConsole?: (core: ConsoleCore) => Promise<ConsolePart>;
  /** Finds problems of its settings before anything is opened, and contacts no one. */
  readonly findings?: (config: Config) => Promise<readonly Finding[]>;
  /** Checks a database for the command `check`. */
  readonly checkDatabase?: (inspection: StoreInspection, config: Config) => Promise<SectionContent>;
  /** Checks what it connects to, for the command `check`. */
  readonly checkOnline?: (config: Config) => Promise<readonly CheckSection[]>;
  /** Returns folders outside DATA_DIR that it writes to, which are tried at the start. */
  readonly writtenFolders?: (config: Config) => readonly WrittenFolder[];
  /** Returns files and folders with personal data that only the service may access. */
  readonly dataPaths?: (dataFolder: string) => readonly string[];
  /** Returns the number of connections that it may open for each connection of a caller. */
  readonly connectionsPerCaller?: (config: Config) => number;
  /** Rules for alerts; `npm run docs` writes them for Prometheus as well. */
  readonly alertRules?: readonly AlertRule[];
  /** @returns what gets the active alerts of this node */
  readonly watchAlerts?: (core: AlertCore) => Promise<AlertWatcher | undefined>;
  /** Loads what opens the guard that monitors the destinations of codes. */
  readonly loadCodeGuard?: () => Promise<OpenCodeGuard>;
  /** Reads what GATEWAYS_FILE says about the receipts of gateways; called at each start and reload. */
  readonly receipts?: ReceiptFields;
  /** Loads what takes the receipts of gateways, on each node; without it, no SMS waits for one. */
  readonly loadReceipts?: () => Promise<TakeReceipts>;
  /** @returns work at intervals; undefined if this process does none */
  readonly openWork?: (core: WorkCore) => Promise<ScheduledWork | undefined>;
  /** @returns what answers before the protocol; undefined if the settings do not ask for it */
  readonly openFront?: (core: FrontCore) => Promise<Front | undefined>;
  /** @returns what traces requests and delivery attempts; undefined if the settings do not ask for it */
  readonly openTracing?: (config: Config, version: string, logger: Logger) => Promise<Tracing | undefined>;
}

/** A language of the console's pages. Numbers and times are written as its tag says. */
export interface ConsoleLanguage {
  /** Such as `tr`. */
  readonly tag: string;
  /** Its own name for itself. */
  readonly name: string;
  /** Returns the ending of a number, in the place of its name followed by `_si`. */
  readonly ending?: (value: number) => string;
}

type Translations = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A folder that a setting names. */
export interface WrittenFolder {
  readonly folder: string;
  /** Such as `The folder of the recordings`. */
  readonly name: string;
  readonly setting: string;
  /** Level of the finding if it cannot be written to. */
  readonly level: Finding['level'];
}

type Listed = (typeof FEATURES)[keyof typeof FEATURES];

type KeysOf<Union> = Union extends unknown ? keyof Union : never;
/** Exports for which the core does not ask, such as misspelt ones. */
type Unasked = Exclude<KeysOf<Listed>, keyof Feature>;

/** The features, in the order of the list; does not compile if one has exports that are no members. */
export const ALL_FEATURES: readonly ([Unasked] extends [never] ? Feature : never)[] = Object.values(FEATURES);

type ValueOf<One, Member> = One extends unknown ? (Member extends keyof One ? One[Member] : never) : never;
/** Values of one member in all features that have it. */
type ValuesOf<Member extends keyof Feature> = ValueOf<Listed, Member>;

/** A type with the properties of all types of a union. */
type Merged<Union> = [Union] extends [never]
  ? object
  : (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
    ? All
    : never;

/** Merges the features' values; the compiler does not follow `Object.assign` through a list. */
const merged = <Union>(values: readonly unknown[]) => Object.assign({}, ...values) as Merged<Union>;

/** Rows of the features' settings, by name. */
export const FEATURE_SETTINGS = merged<ValuesOf<'settings'>['rows']>(
  ALL_FEATURES.map(({ settings }) => settings?.rows),
);

/** Titles of the features' settings. */
export type FeatureSectionTitle = ValuesOf<'settings'>['title'];

/** Says what to do about the features' settings of earlier versions, by name. */
export const FEATURE_RETIRED = merged<Readonly<Record<string, string>>>(
  ALL_FEATURES.map(({ settings }) => settings?.retired),
);

/** The languages that features add to English. */
export const FEATURE_LANGUAGES = ALL_FEATURES.flatMap(({ language }) => language ?? []);

/** The English texts that features translate, by the tag of the language. */
export type TranslatedTexts = {
  [Tag in ValuesOf<'language'>['tag']]: KeysOf<ValueOf<ValuesOf<'texts'>, Tag>>;
};

/** Returns the translations of all features into a language, by the English texts or lines. */
export const featureTranslations = (tag: string, member: 'texts' | 'lines') =>
  merged<Readonly<Record<string, string>>>(ALL_FEATURES.map((feature) => feature[member]?.[tag]));

/** The features' commands by their names. */
export const FEATURE_COMMANDS = merged<Readonly<Record<string, OfferedCommand>>>(
  ALL_FEATURES.map(({ commands }) => commands),
);

/** The features' fields of a country in DELIVERY_FILE. */
export const FEATURE_COUNTRY_FIELDS = merged<ValuesOf<'countryFields'>>(
  ALL_FEATURES.map(({ countryFields }) => countryFields),
);

/** The features' fields of a school in DELIVERY_FILE. */
export const FEATURE_SCHOOL_FIELDS = merged<ValuesOf<'schoolFields'>>(
  ALL_FEATURES.map(({ schoolFields }) => schoolFields),
);

/** Returns until when messages of schools wait; undefined if no feature has them wait. */
export const FEATURE_HOURS = ALL_FEATURES.find(({ openHours }) => openHours !== undefined)?.openHours;

/** Reads what GATEWAYS_FILE says about receipts; undefined if no feature takes them. */
export const FEATURE_RECEIPTS: ReceiptFields | undefined = ALL_FEATURES.find(
  ({ receipts }) => receipts !== undefined,
)?.receipts;

/** The features' fields of a gateway in GATEWAYS_FILE. */
export const FEATURE_RECEIPT_FIELDS = merged<ValuesOf<'receipts'>['fields']>(
  ALL_FEATURES.map(({ receipts }) => receipts?.fields),
);

/** Reads and writes workbooks; undefined if no feature does. */
export const FEATURE_BOOKS = ALL_FEATURES.find(({ books }) => books !== undefined)?.books;

/** Keeps what was done; undefined if no feature does. */
export const FEATURE_ACTION_LOG = ALL_FEATURES.find(({ actionLog }) => actionLog !== undefined)?.actionLog;

/** Address of the console's pages with the documents; undefined if no feature serves them. */
export const FEATURE_HELP = ALL_FEATURES.find(({ helpAddress }) => helpAddress !== undefined)?.helpAddress;
