import { SaxesParser } from 'saxes';

import { XmlReader } from '../../../src/asmx/xml/xml-reader';
import { XmlSyntaxError } from '../../../src/asmx/xml/xml-syntax-error';

const ignore = (): undefined => undefined;
/** Takes no notice of what a document holds. */
export const IGNORE_ALL = {
  startElement: ignore,
  endElement: ignore,
  characters: ignore,
  interruption: ignore,
};

/** Describes what a document holds, in one notation for both readers; undefined where it is not well-formed. */
export type Events = readonly string[] | undefined;

class Recorder {
  readonly #events: string[] = [];
  #text = '';
  #depth = 0;

  get events(): readonly string[] {
    return [...this.#events, this.#text];
  }

  text(text: string): void {
    if (this.#depth > 0) this.#text += text;
  }

  add(event: string): void {
    this.#depth += event === '/' ? -1 : 1;
    this.#events.push(this.#text, event);
    this.#text = '';
  }
}

/** Returns what our reader reports of a document. */
export function ours(document: string): Events {
  const recorder = new Recorder();
  const reader = new XmlReader({
    startElement: (local, namespace, attributes) => {
      const list: string[] = [];
      attributes.forEach((name, uri, value) => list.push(`{${uri.trim()}}${name}=${value}`));
      recorder.add(`<{${namespace.trim()}}${local} ${list.sort().join('|')}`);
    },
    endElement: () => {
      recorder.add('/');
    },
    characters: (text) => {
      recorder.text(text);
    },
    interruption: () => undefined,
  });
  try {
    reader.read(document);
  } catch (error) {
    if (error instanceof XmlSyntaxError) return undefined;
    throw error;
  }
  return recorder.events;
}

class Refused extends Error {}

/** Matches what the judge reads otherwise than XML has it. It also trims namespaces, which `ours` copies for it. */
const DISPUTED: readonly RegExp[] = [
  /^\ufeff/, // a byte order mark, which is decoding's business
  /<\?[^\s?]+\?[^>]/, // a question mark in an instruction's target, which the judge leaves out
  /xmlns(?::[^=]*)?\s*=\s*(["'])(?:[\s\ufeff]|&#10;)+\1/, // a namespace of blanks, which it takes for none
];

/** True for a document on which the judge has no say. */
export function isDisputed(document: string): boolean {
  return DISPUTED.some((pattern) => pattern.test(document));
}

/** Matches what a name may hold, and not begin with; the judge takes it behind a colon. */
const NO_NAME_START = /^[\u0300-\u036f\u00b7\u203f\u2040\-.0-9]/;

/**
 * Returns what a reader from the registry reports of a document; where it is more lenient than XML is, we are strict
 * for it.
 */
export function judge(document: string): Events {
  const recorder = new Recorder();
  const parser = new SaxesParser({ xmlns: true, position: false });
  const refuse = (): never => {
    throw new Refused();
  };
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  parser.on('xmldecl', ({ version }) => {
    if (version !== '1.0') refuse();
  });
  parser.on('opentag', (tag) => {
    const names = [tag, ...Object.values(tag.attributes)];
    if (names.some(({ local }) => NO_NAME_START.test(local))) refuse();
    const list = Object.values(tag.attributes)
      .filter(({ name }) => name !== 'xmlns' && !name.startsWith('xmlns:'))
      .map(({ local, uri, value }) => `{${uri}}${local}=${value}`);
    recorder.add(`<{${tag.uri}}${tag.local} ${list.sort().join('|')}`);
  });
  parser.on('closetag', () => {
    recorder.add('/');
  });
  parser.on('text', (text) => {
    recorder.text(text);
  });
  parser.on('cdata', (text) => {
    recorder.text(text);
  });
  try {
    parser.write(document).close();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
  return recorder.events;
}
