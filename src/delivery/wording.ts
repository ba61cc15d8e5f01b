import * as z from 'zod';

import {
  type Config,
  issueText,
  parseJson,
  readOperatorFile,
  type Reloadable,
  SettingError,
  smsText,
} from '../config';
import { FEATURE_COUNTRY_FIELDS, FEATURE_HOURS, FEATURE_SCHOOL_FIELDS } from '../features/feature';
import { canonicalSchoolUrl } from '../store';
import { parseInternational } from '../support/phones';
import { type SmsParts, smsParts, type SmsRules } from './sms-parts';
import { namedTemplate } from './template';

const language = z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/, 'is not a language code such as tr');
const text = z.string().min(1).max(1000).optional();
const sms = smsText.schema.pipe(z.string().min(1)).optional();

/** A language alone is short for an object with nothing else. */
const country = z.preprocess(
  (given) => (typeof given === 'string' ? { language: given } : given),
  z.strictObject({
    language: language.optional(),
    smsShiftTable: z.literal('turkish', 'must be "turkish"').optional(),
    smsSuffix: sms,
    ...FEATURE_COUNTRY_FIELDS,
  }),
);

const CONTENT = z.strictObject({
  smsEncoding: z.literal('ucs2', 'must be "ucs2"').optional(),
  /** Applies to countries and schools without one. */
  language: language.optional(),
  languages: z
    .record(
      language,
      z.strictObject({
        smsText: sms,
        pushTitle: text,
        pushBody: text,
      }),
    )
    .default({}),
  countries: z
    .record(z.string().regex(/^[A-Z]{2}$/, 'is not a country code such as TR'), country)
    .default({}),
  schools: z
    .record(
      z.string().transform(canonicalSchoolUrl),
      z.strictObject({
        language: language.optional(),
        ...FEATURE_SCHOOL_FIELDS,
      }),
    )
    .default({}),
});

/** Parsed DELIVERY_FILE: differences by language, country and school. */
export type DeliveryFile = z.output<typeof CONTENT>;

/**
 * @param path - undefined without a file: then nothing differs
 * @throws OperatorError if it is unreadable or invalid
 */
export function readDeliveryFile(path: string | undefined): DeliveryFile {
  if (path === undefined) return CONTENT.parse({});
  const file = readOperatorFile(path, 'DELIVERY_FILE');
  const content = parseJson(file);
  const result = CONTENT.safeParse(content);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new SettingError(
      `${file.name}, ${describePlace(issue?.path ?? [], content)}: ${describeIssue(issue)}.`,
    );
  }
  const { countries, schools } = result.data;
  const named = [result.data, ...Object.values(countries), ...Object.values(schools)].flatMap(
    (each) => each.language ?? [],
  );
  const unknown = named.find((name) => !(name in result.data.languages));
  if (unknown !== undefined) {
    throw new SettingError(`${file.name}: a language that is used is missing from languages.`);
  }
  return result.data;
}

/** DELIVERY_FILE as it was when it was last reloaded without an error: what the console says is in effect. */
export class DeliveryFileInUse implements Reloadable {
  readonly settings = ['DELIVERY_FILE'] as const;
  #content: DeliveryFile;

  /** @throws OperatorError if it is unreadable or invalid */
  constructor(config: Config) {
    this.#content = readDeliveryFile(config.DELIVERY_FILE);
  }

  get content(): DeliveryFile {
    return this.#content;
  }

  reload(config: Config): void {
    this.#content = readDeliveryFile(config.DELIVERY_FILE);
  }
}

/**
 * Describes a place in the file: countries, languages and schools by number, because names are the file's
 * contents.
 */
function describePlace(path: readonly PropertyKey[], content: unknown): string {
  const [group, name, ...rest] = path.map(String);
  if (group === undefined) return 'top level';
  if (name === undefined) return group;
  const entries: unknown = Reflect.get(Object(content) as object, group);
  const number = Object.keys(Object(entries) as object).indexOf(name) + 1;
  return [group, `entry ${String(number)}`, ...rest].join(' > ');
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  return issue?.code === 'unrecognized_keys' ? 'has an unknown name' : issueText(issue);
}

/** Texts of one language. */
interface Texts {
  readonly smsText: string;
  readonly pushTitle: string;
  readonly pushBody: string;
}

/** Push messages say what the note says, where its language has no texts. */
const USUAL_PUSH = { pushTitle: '{title}', pushBody: '{text}' };

const NOTE_PLACES = ['title', 'text'] as const;
/** A code of usual length, for computing the length of an SMS. */
const SAMPLE_CODE = '123456';

interface Templates {
  readonly sms: (values: { readonly code: string }) => string;
  readonly title: (values: Readonly<Record<(typeof NOTE_PLACES)[number], string>>) => string;
  readonly body: (values: Readonly<Record<(typeof NOTE_PLACES)[number], string>>) => string;
}

/** A text of a code that takes more than one SMS. */
interface LongSms extends SmsParts {
  /** Language of the text; `SMS_TEXT` for the default one. */
  readonly language: string;
  /** Destination country; undefined for countries that the file does not name. */
  readonly country: string | undefined;
}

/** Texts of messages in the language of the telephone's country or of the school. */
export class Wording {
  readonly #usual: Templates;
  readonly #byLanguage: ReadonlyMap<string, Templates>;
  readonly #file: DeliveryFile;
  readonly #hasCountries: boolean;

  /**
   * @param smsText - where a language has none
   * @throws SettingError for an unusable template
   */
  constructor(smsText: string, file: DeliveryFile) {
    this.#hasCountries = Object.keys(file.countries).length > 0;
    const usual = { smsText, ...USUAL_PUSH };
    this.#usual = templates(usual, () => 'SMS_TEXT');
    this.#file = file;
    this.#byLanguage = new Map(
      Object.entries(file.languages).map(([language, texts]) => {
        const where = (name: string): string => `${name} of the language ${language} in DELIVERY_FILE`;
        const { pushTitle = usual.pushTitle, pushBody = usual.pushBody } = texts;
        return [language, templates({ smsText: texts.smsText ?? smsText, pushTitle, pushBody }, where)];
      }),
    );
  }

  /** @returns the text of a code, and the number of SMS that the gateway will bill */
  sms(phone: string, code: string): { readonly text: string; readonly parts: number } {
    const { language, ...rules } = this.#country(phone);
    const text = this.#templates(language).sms({ code });
    return { text, parts: this.#parts(text, rules).parts };
  }

  push(
    school: string,
    note: { readonly title: string; readonly text: string },
  ): { readonly title: string; readonly body: string } {
    const { title, body } = this.#templates(this.#file.schools[school]?.language);
    return { title: title(note), body: body(note) };
  }

  /** Returns the texts of codes that take more than one SMS, by country. */
  longSms(): readonly LongSms[] {
    const elsewhere: readonly [undefined, DeliveryFile['countries'][string]] = [undefined, {}];
    return [elsewhere, ...Object.entries(this.#file.countries)]
      .map(([country, { language, ...rules }]) => {
        const text = this.#templates(language).sms({ code: SAMPLE_CODE });
        return {
          language: language ?? this.#file.language ?? 'SMS_TEXT',
          country,
          ...this.#parts(text, rules),
        };
      })
      .filter(({ parts }) => parts > 1);
  }

  #country(phone: string): DeliveryFile['countries'][string] {
    if (!this.#hasCountries) return {};
    const country = parseInternational(phone)?.country;
    return (country && this.#file.countries[country]) ?? {};
  }

  /** Computes the parts of a text by a country's rules, and those for all countries. */
  #parts(text: string, rules: SmsRules): SmsParts {
    return smsParts(text, { ...rules, smsEncoding: this.#file.smsEncoding });
  }

  #templates(language = this.#file.language): Templates {
    return (language === undefined ? undefined : this.#byLanguage.get(language)) ?? this.#usual;
  }
}

/** @param where - returns the place of a text, for errors */
function templates({ smsText, pushTitle, pushBody }: Texts, where: (name: keyof Texts) => string): Templates {
  return {
    sms: namedTemplate(where('smsText'), smsText, ['code'], 'code'),
    title: namedTemplate(where('pushTitle'), pushTitle, NOTE_PLACES),
    body: namedTemplate(where('pushBody'), pushBody, NOTE_PLACES),
  };
}

/**
 * Returns the earliest time for a school's messages, in milliseconds since 1970 UTC: now, or later, such as
 * the end of its quiet hours.
 */
export type NotBefore = (school: string, now: number) => number;

const AT_ONCE: NotBefore = (_school, now) => now;

/**
 * Opens the texts of the settings with their differences by language, country and school.
 *
 * @throws SettingError for unusable texts or an unusable file
 */
export function openWording(config: Config): { readonly wording: Wording; readonly file: DeliveryFile } {
  const file = readDeliveryFile(config.DELIVERY_FILE);
  return { wording: new Wording(config.SMS_TEXT, file), file };
}

export class WordingInUse implements Reloadable, Pick<Wording, 'sms' | 'push'> {
  readonly settings = ['DELIVERY_FILE'] as const;
  #wording: Wording;
  #notBefore: NotBefore;

  /** @throws SettingError for unusable texts or an unusable file */
  constructor(config: Config) {
    [this.#wording, this.#notBefore] = read(config);
  }

  reload(config: Config): void {
    [this.#wording, this.#notBefore] = read(config);
  }

  sms(...message: Parameters<Wording['sms']>): ReturnType<Wording['sms']> {
    return this.#wording.sms(...message);
  }

  push(...message: Parameters<Wording['push']>): ReturnType<Wording['push']> {
    return this.#wording.push(...message);
  }

  readonly notBefore: NotBefore = (school, now) => this.#notBefore(school, now);
}

function read(config: Config): [Wording, NotBefore] {
  const { wording, file } = openWording(config);
  return [wording, FEATURE_HOURS?.(config, file) ?? AT_ONCE];
}
