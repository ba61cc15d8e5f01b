import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { childEnvironment, packageRoot } from '../../scripts/harness';
import { ENGINES } from '../support/test-databases';
import { START } from '../delivery/running-delivery';
import { useDeliveries } from '../delivery/use-deliveries';

const SAMPLE_SCHOOL = join(packageRoot(), 'scripts', 'sample-school');
const REFUSED = { status: 403, body: '{"error":{"details":[{"errorCode":"SENDER_ID_MISMATCH"}]}}' };
const REASON = 'The provider answered 403 SENDER_ID_MISMATCH.';

describe.each(ENGINES)('the command deliveries on %s', (engine) => {
  const deliveries = useDeliveries(engine);

  /** What the command prints, line by line. */
  async function run(...args: readonly string[]): Promise<readonly string[]> {
    const program = join(packageRoot(), 'dist', 'commands', 'deliveries.js');
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
      cwd: deliveries.database.folder, // where no .env lies
      env: childEnvironment({ DATABASE_URL: deliveries.database.url }),
    });
    return stdout.trimEnd().split('\n');
  }

  it('shows a request with what became of its push messages, and each of these with its attempts', async () => {
    const { store, push } = deliveries;
    await store.importFolder(SAMPLE_SCHOOL);
    const service = deliveries.start();
    let isBusy = true;
    push().usual = ({ body }) => {
      if (body.includes('"sample-token-01"')) return REFUSED;
      const busy = isBusy && body.includes('"sample-token-02"');
      if (busy) isBusy = false;
      return { status: busy ? 503 : 200 };
    };
    const request = await service.sendMarks();
    await service.line({ messageId: request, state: 'open' });
    const made = await store.deliveries.list({ request }, 1000);
    await service.lines(made.length, { channel: 'push', attempt: 1 }); // Time that goes by ends their leases.
    service.pass(60_000);
    const { pushes, sent, withoutDevice } = await service.ended(request);
    expect(sent).toBe(pushes - 1);

    const shown = await run('show', request);
    expect(shown).toContain('state               partly');
    expect(shown).toContain(`without a device    ${String(withoutDevice)}`);
    expect(shown).toContain(`reason              1 of ${String(pushes)} did not go: ${REASON}`);
    expect(shown).toContain(`${String(sent).padEnd(13)}  sent`);
    expect(shown).toContain(`1              failed  ${REASON}`);
    const messages = await store.deliveries.list({ request }, 1000);
    expect(messages).toHaveLength(pushes);
    expect(shown.slice(-pushes).map((line) => line.slice(0, 36))).toEqual(messages.map(({ id }) => id));

    const failed = messages.find(({ state }) => state === 'failed');
    const ofPush = await run('show', failed?.id ?? '');
    expect(ofPush).toContain(`request             ${request}`);
    expect(ofPush.at(-2)).toMatch(
      /^attempt +at +provider +outcome +status +ms +parts +id at the provider +reason$/,
    );
    expect(ofPush.at(-1)).toMatch(
      /^\d +2026-03-02T10:0\d:00\.000Z +fcm +refused +403 +\d+ +The provider answered 403/,
    );

    const retried = messages.find(({ attempts, state }) => state === 'sent' && attempts === 2);
    const [first, second] = (await run('show', retried?.id ?? '')).slice(-2);
    expect(first).toMatch(new RegExp(`^1 +${new Date(START).toISOString()} +fcm +failing +503 `));
    expect(second).toMatch(/^2 .* fcm +sent +200 /);
  });
});
