import { readFileSync } from 'node:fs';

import type { Setting } from '../../src/config/kinds';
import { SETTINGS } from '../../src/config/settings';

const GUIDE = readFileSync('docs/migrate-from-asmx.md', 'utf8');
const [, plan = ''] = /^## The plan$([^]*?)^## /m.exec(GUIDE) ?? [];
const STEPS = plan
  .split(/^\d+\. /m)
  .slice(1)
  .map((step) => ({ name: step.slice(2, step.indexOf('.')), text: step }));

/** Returns the settings that a step names. */
function settingsIn(text: string): readonly (readonly [string, Setting])[] {
  return Object.entries<Setting>(SETTINGS).filter(([name]) => text.includes(`\`${name}\``));
}

describe('the steps of the migration guide', () => {
  const first = STEPS.findIndex(({ text }) => text.includes('`OLD_URL`'));
  const last = STEPS.findLastIndex(({ text }) => text.includes('`OLD_URL`'));
  const cutOver = STEPS.slice(first + 1, last);

  it('switch over between the one that sets OLD_URL and the one that removes it', () => {
    expect(cutOver.map(({ name }) => name)).toEqual(['Reads', 'Sends', 'All new']);
  });

  it.each(cutOver)('need no restart to switch over: $name', ({ text }) => {
    const needRestart = settingsIn(text).filter(([, { reloads }]) => reloads !== true);
    expect(needRestart.map(([name]) => name)).toEqual([]);
    expect(text).not.toMatch(/restart/i);
  });

  it('set the path of each file that a later step edits before callers come', () => {
    const before = STEPS.slice(0, first + 1).map(({ text }) => text);
    for (const [name] of cutOver.flatMap(({ text }) => settingsIn(text))) {
      expect(before.join()).toContain(`\`${name}\``);
    }
  });
});
