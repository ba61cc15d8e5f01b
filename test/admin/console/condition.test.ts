import type { Snapshot } from '../../../src/admin/alerts/snapshot';
import { conditionPart } from '../../../src/admin/console/condition';
import { Words } from '../../../src/admin/texts/words';
import { NOW, stored, WELL } from '../alerts/snapshots';

const SEEN = {
  name: 'ayse',
  role: 'viewer',
  canLogOut: true,
  token: '',
  may: () => false,
  schools: undefined,
  sections: {},
  assets: [],
  words: new Words('en', 'UTC'),
} as const;
const overview = (snapshot: Snapshot): string => conditionPart(snapshot, undefined, SEEN).text;
const headline = (snapshot: Snapshot): string | undefined =>
  /<p class="lead">(.*?) <span/.exec(overview(snapshot))?.[1];

describe('the overview', () => {
  it('is green only while no alert is active', () => {
    expect(headline(WELL)).toBe('<strong class="good">All systems normal</strong>');
  });

  it.each<readonly [string, string, Snapshot]>([
    ['is red', '<strong class="bad">Needs attention</strong>', { ...WELL, store: undefined }],
    [
      'is amber',
      '<strong class="warn">Needs attention</strong>',
      stored({ lastImport: { at: NOW, isGood: false, state: 'x', filesAt: NOW, report: '' } }),
    ],
    [
      'is calm',
      '<strong>Running, with notices</strong>',
      { ...WELL, findings: [{ level: 'warn', message: 'X' }] },
    ],
  ])('%s with an alert of that severity', (_how, expected, snapshot) => {
    expect(headline(snapshot)).toBe(expected);
  });

  it('escapes the text of an alert', () => {
    expect(overview({ ...WELL, findings: [{ level: 'error', message: '<b>X</b>' }] })).toContain(
      'Errors: &lt;b&gt;X&lt;/b&gt;.',
    );
  });
});
