const TOKENS = new Map<string, string | null>([
  ['', 'ID-WAS-EMPTY'],
  ['null', null],
  ['empty', ''],
  ['special', '<a>&"\'\u0130\u015F\u{1F600} ]]>'],
  ['ws', ' lead\ttab\r\ncrlf\rcr\nlf trail '],
  ['spaces', '   '],
  ['ctl', 'a\u0001b'],
  ['nbsp', 'a\u00A0b\u0085c\u2028d'],
]);

/** The token of the reference service for an id: a fixed one, or a report of what arrived. */
export function tokenFor(id: string | null): string | null {
  if (id === null) return 'ID-WAS-NULL';
  const fixed = TOKENS.get(id);
  if (fixed !== undefined) return fixed;
  if (id.startsWith('len:')) return `${String(id.length)}:${id}`;
  if (id.startsWith('hex:')) return hexUnits(id);
  return `TOKEN-${id}`;
}

/** Every UTF-16 unit as four lower-case hex digits. */
function hexUnits(text: string): string {
  const unit = (index: number): string => text.charCodeAt(index).toString(16).padStart(4, '0');
  return Array.from({ length: text.length }, (_, index) => unit(index)).join('');
}
