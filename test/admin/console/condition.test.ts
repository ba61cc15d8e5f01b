import type { Snapshot } from '../../../src/admin/alerts/snapshot';
import { conditionPart } from '../../../src/admin/console/condition';
import { RecentReader } from '../../../src/admin/console/recent-part';
import { type Hold, NO_HOLDS } from '../../../src/store';
import { Words } from '../../../src/admin/texts/words';
import { beside, MINUTE, NOW, stored, WELL } from '../alerts/snapshots';

const REFUSED: Hold = {
  ...{ cause: 'account', channel: 'sms', gateway: 'okulsms', since: NOW - 120_000, until: null },
  reason: { code: 'account_stopped', status: 200, detail: '12', meaning: 'no credit left' },
};

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
    ['is amber', '<strong class="warn">Needs attention</strong>', beside({ heardAt: NOW - 10 * MINUTE })],
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

  it.each([
    ['of an account', [REFUSED], 'okulsms refuses the account (12: no credit left) since 09:58'],
    ['that no worker reports', [], 'paused'],
  ])('shows a pause %s', (_whose, ofSome, expected) => {
    const circuits = [{ channel: 'sms', isOpen: true }] as const;
    const snapshot = stored({ holds: { ...NO_HOLDS, ofSome } });
    expect(overview({ ...snapshot, node: { ...snapshot.node, circuits } })).toContain(
      `<span class="bad">${expected}</span>`,
    );
  });
});

describe('the results of the last messages', () => {
  it('are read again at once after the database has failed, and then shared for a while', async () => {
    const counts = { accepted: 1, sent: 1, written: 0, failed: 0, delivered: 0, undelivered: 0 };
    const found = { hour: counts, day: counts, failures: [] };
    const recent = jest.fn(() => Promise.resolve(found)).mockRejectedValueOnce(new Error('no database'));
    const reader = new RecentReader({ recent }, 60_000);
    await expect(reader.read(NOW)).rejects.toThrow('no database');
    expect(await reader.read(NOW)).toBe(found);
    expect(await reader.read(NOW)).toBe(found);
    expect(recent).toHaveBeenCalledTimes(2);
  });
});
