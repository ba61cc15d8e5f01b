import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeGatewaysFile } from '../../../scripts/harness/delivery';
import { runCommand } from '../../harness/run-command';
import { useFolderPerTest } from '../../harness/use-folder';

describe('the command gateways receipt', () => {
  const folder = useFolderPerTest();

  it.each([
    [
      0,
      '[{"campaign_id":7,"status":"DELIVERED"},{"campaign_id":8,"status":"SENT"}]',
      ['7: delivered, ', 'waiting: '],
    ],
    [2, '[{"campaign_id":7,"status":"NEW"}]', ['7: not understood: no rule in "states" names NEW']],
    [
      2,
      '[{"campaign_id":7,"status":"DELIVERED"},{"campaign_id":8,"status":"NEW"}]',
      ['7: delivered, ', '8: not understood'],
    ],
    [2, '[{"status":"NEW"}]', ['not understood: no id at "providerId"']],
    [2, '{}', ['No receipt found. Check "list".']],
  ])('tries receipts from a file: exit code %d for %s', async (code, text, lines) => {
    const file = join(folder(), 'receipt');
    writeFileSync(file, text);
    const gateway = { preset: 'verimor', user: 'u', password: 'p', sender: 'OKUL' };
    const settings = { GATEWAYS_FILE: writeGatewaysFile(folder(), gateway) };
    const result = await runCommand('gateways', ['receipt', 'gateway', file], { folder: folder(), settings });
    expect(result.code).toBe(code);
    const shown = result.out.trimEnd().split('\n');
    expect(shown).toHaveLength(lines.length);
    for (const [at, line] of lines.entries()) expect(shown[at]).toContain(line);
  });
});
