import { html, type Html } from '../../support/html';
import type { Config } from '../../config';
import type { SchoolMatch, Store } from '../../store';
import { readPhone } from '../../support/phones';
import { shown } from '../../support/text';
import type { PageViewer } from './console-page';
import type { ConsolePart } from './console-part';
import { queryText, type SealedTexts } from './message-address';
import { type FoundRecord, recordAddress } from './record-address';
import type { Text, Words } from '../texts/words';

/** Students, classes and notes that an ambiguous id offers. */
const MAX_ANSWERS = 50;

/**
 * Finds the pages for a text from the search box: a message by its id; a student, class or note by its id;
 * the messages of a phone number; else what features find by a name. An id takes precedence, because short
 * numbers look like ids.
 */
export async function answersTo(
  text: string,
  {
    store,
    country,
    sealed,
    parts,
    viewer: { words, may },
  }: {
    readonly store: Pick<Store, 'deliveries' | 'keyForm' | 'schools'>;
    readonly country: Config['DEFAULT_COUNTRY'];
    readonly sealed: SealedTexts;
    readonly parts: readonly Pick<ConsolePart, 'find'>[];
    readonly viewer: Pick<PageViewer, 'words' | 'may'>;
  },
): Promise<readonly FoundRecord[]> {
  const id = store.keyForm(text);
  const [message] = await store.deliveries.list({ ids: [id.toLowerCase()] }, 1);
  if (message !== undefined)
    return [
      {
        address: `/messages/${encodeURIComponent(message.id)}`,
        text: words.t('Message {id}', { id: message.id }),
      },
    ];
  const matches = await store.schools.matching(id, MAX_ANSWERS);
  if (matches.length > 0) return matches.map((match) => answerFor(match, may('names'), words));
  const phone = readPhone(text, country);
  if (phone === undefined) {
    const named = may('names') ? parts.flatMap(({ find }) => find?.(text, words) ?? []) : [];
    return (await Promise.all(named)).flat();
  }
  return [{ address: `/messages${queryText({ phone: sealed.seal(phone) })}`, text: words.t('Phone number') }];
}

const KINDS = { student: 'Student', class: 'Class', note: 'Note' } as const satisfies Readonly<
  Record<string, Text>
>;

function answerFor(
  { kind, id, school, schoolName, name }: SchoolMatch,
  isNamed: boolean,
  words: Words,
): FoundRecord {
  const named = name === '' || name === id || (kind === 'student' && !isNamed) ? '' : ` ${name}`;
  return {
    address: recordAddress(kind, school, id),
    text: `${words.t(KINDS[kind])} ${id}${named} (${schoolName === '' ? school : schoolName})`,
  };
}

const NOTHING_FOUND =
  'Enter a phone number, the name of a student or school, or the id of a message, student, class or note.' satisfies Text;

/** Returns the page for a text without an answer, or with several. */
export function answersPart(answers: readonly FoundRecord[], words: Words): Html {
  if (answers.length === 0) {
    return html`<h1>${words.t('Nothing found')}</h1>
<p>${words.t(NOTHING_FOUND)}</p>
<p>${words.html('{filter} to find classes and notes that are not imported.', {
      filter: html`<a href="/messages">${words.t('Filter the messages')}</a>`,
    })}</p>`;
  }
  return html`<h1>${words.t('Which one?')}</h1>
<ul>
${answers.map(({ address, text }) => html`<li><a href="${address}">${shown(text)}</a></li>\n`)}</ul>`;
}
