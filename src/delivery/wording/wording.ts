import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

import type { DeliveryFile } from './delivery-file';
import { type SmsParts, smsParts, type SmsRules } from './sms-parts';
import { namedTemplate } from './template';

/** The texts of one language; an absent one is that of the settings. */
export interface Texts {
  readonly smsText: string;
  readonly pushTitle: string;
  readonly pushBody: string;
}

const NOTE_PLACES = ['title', 'text'] as const;
/** As long as most codes are; the length of an SMS is judged with it. */
const SAMPLE_CODE = '123456';

interface Templates {
  readonly sms: (values: { readonly code: string }) => string;
  readonly title: (values: Readonly<Record<(typeof NOTE_PLACES)[number], string>>) => string;
  readonly body: (values: Readonly<Record<(typeof NOTE_PLACES)[number], string>>) => string;
}

/** A text of a code that takes more than one SMS. */
export interface LongSms extends SmsParts {
  /** Whose text it is; the usual one's is `SMS_TEXT`. */
  readonly language: string;
  /** Where it goes; undefined for the countries that the file does not name. */
  readonly country: string | undefined;
}

/** What messages say, in the language of the telephone's country or of the school. */
export class Wording {
  readonly #usual: Templates;
  readonly #byLanguage: ReadonlyMap<string, Templates>;
  readonly #file: DeliveryFile;

  /** @throws SettingError for a template that cannot be used */
  constructor(usual: Texts, file: DeliveryFile) {
    this.#usual = templates(usual, { smsText: 'SMS_TEXT', pushTitle: 'PUSH_TITLE', pushBody: 'PUSH_BODY' });
    this.#file = file;
    this.#byLanguage = new Map(
      Object.entries(file.languages).map(([language, texts]) => {
        const where = (name: string): string => `${name} of the language ${language} in DELIVERY_FILE`;
        const all = {
          smsText: texts.smsText ?? usual.smsText,
          pushTitle: texts.pushTitle ?? usual.pushTitle,
          pushBody: texts.pushBody ?? usual.pushBody,
        };
        const names = {
          smsText: where('smsText'),
          pushTitle: where('pushTitle'),
          pushBody: where('pushBody'),
        };
        return [language, templates(all, names)];
      }),
    );
  }

  /** @returns the text of a code, and how many SMS the gateway will bill it as */
  sms(phone: string, code: string): { readonly text: string; readonly parts: number } {
    const country = parsePhoneNumberFromString(phone)?.country;
    const { language, ...rules } = (country && this.#file.countries[country]) ?? {};
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

  /** The texts of codes that take more than one SMS, country by country. */
  longSms(): readonly LongSms[] {
    const elsewhere: readonly [undefined, DeliveryFile['countries'][string]] = [undefined, {}];
    return [elsewhere, ...Object.entries(this.#file.countries)]
      .map(([country, { language, ...rules }]) => {
        const text = this.#templates(language).sms({ code: SAMPLE_CODE });
        return { language: language ?? 'SMS_TEXT', country, ...this.#parts(text, rules) };
      })
      .filter(({ parts }) => parts > 1);
  }

  /** What holds for one country alone, and what holds for all. */
  #parts(text: string, rules: SmsRules): SmsParts {
    return smsParts(text, { ...rules, smsEncoding: this.#file.smsEncoding });
  }

  #templates(language: string | undefined): Templates {
    return (language === undefined ? undefined : this.#byLanguage.get(language)) ?? this.#usual;
  }
}

function templates(texts: Texts, settings: Texts): Templates {
  return {
    sms: namedTemplate(settings.smsText, texts.smsText, ['code'], 'code'),
    title: namedTemplate(settings.pushTitle, texts.pushTitle, NOTE_PLACES),
    body: namedTemplate(settings.pushBody, texts.pushBody, NOTE_PLACES),
  };
}
