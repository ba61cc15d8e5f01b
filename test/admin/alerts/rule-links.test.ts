// Where the links of alerts lead.

import { RULE_GROUPS } from '../../../src/admin/alerts/alerts';
import { HOLD_ENDED } from '../../../src/admin/alerts/hold-rules';
import { addressTexts, queryText, toNaming } from '../../../src/admin/console/message-address';

/** The rules of the core; features try the links of their own. */
const RULES = Object.entries(RULE_GROUPS).flatMap(([group, rules]) =>
  group.endsWith('-features') ? [] : rules,
);
const LINKS = [HOLD_ENDED, ...RULES].flatMap(
  ({ name, channel, link: [path = '', text = ''] = ['none', ''] }) =>
    path === 'none' ? [] : [{ name, channel, url: new URL(path, 'http://console'), text }],
);
const TO_MESSAGES = LINKS.filter(({ url }) => url.pathname === '/messages');
const TO_OTHERS = LINKS.filter(({ url }) => url.pathname !== '/messages');
/** Lists what the text of a link calls messages of a state. */
const WORDS: Readonly<Record<string, string>> = {
  queued: 'Waiting',
  failed: 'Failed',
  failed_or_expired: 'Failed',
  expired: 'Expired',
};

it.each(TO_MESSAGES)('the link of $name shows the messages that its text names', ({ channel, url, text }) => {
  const texts = addressTexts(Object.fromEntries(url.searchParams));
  expect(queryText(texts)).toBe(url.search);
  const { state = '', newerThan, ...others } = toNaming(texts);
  expect(text.split(' ')[0]).toBe(WORDS[state]);
  // Waiting messages may be of any age; without one, the page shows a day.
  expect(newerThan).toMatch(state === 'queued' ? /^any$/ : /^1[hd]$/);
  expect(others).toEqual(channel === undefined ? {} : { channel });
});

it.each(TO_OTHERS)('the link of $name has the name of its page', ({ url, text }) => {
  expect(url.pathname).toBe(`/${text.toLowerCase()}`);
});

it('most alerts have one', () => {
  expect(TO_MESSAGES.length).toBeGreaterThan(14);
  expect(TO_OTHERS.length).toBeGreaterThan(5);
});
