import { FEATURE_ACTION_LOG } from '../../../src/features/feature';
import {
  CUTOVER_ACTION,
  type MigratedCall,
  type MigrationSource,
  modesDetail,
  type ShownDifference,
} from '../../../src/features/migration/migration-page';
import { cellsOf, useConsole } from '../../admin/console/use-console';
import { withSource } from './console-pages';

const onLog = FEATURE_ACTION_LOG === undefined ? it.skip : it;

const call = (operation: string, binding: string, more: Partial<MigratedCall> = {}): MigratedCall => ({
  ...{ operation, binding, mode: 'shadow', sends: false, compared: 0, different: 0 },
  ...more,
});
const DIFFERENCE: ShownDifference = {
  ...{ operation: 'GetTokenDevice', binding: 'GET', text: 'body /string: missing', count: 3 },
  ...{ old: '<xxx>', ours: undefined, example: "curl 'http://old/?id=XXX-9'" },
};

describe('the migration page', () => {
  let calls: readonly MigratedCall[] = [];
  let differences: readonly ShownDifference[] = [];
  const migration: MigrationSource = { calls: () => calls, differences: () => differences };
  const console = useConsole('sqlite', {}, [withSource(migration)]);
  const rows = async (): Promise<readonly (readonly string[])[]> =>
    cellsOf((await console.get('/migration')).text, 'Operations').slice(1);

  const UNSEEN = 'No calls over {} yet: nothing shows that they work here.';
  it('shows which server answers what, how often, and what to do next', async () => {
    calls = [
      call('GetTokenDevice', 'soap11', { compared: 90 }),
      call('GetTokenDevice', 'get', { compared: 20, different: 2 }),
      call('GetTokenDevice', 'post', { mode: 'fallback' }),
      call('GetStudentSchool', 'get', { compared: 100 }),
      call('GetNote', 'get', { compared: 99 }),
      call('GetExam', 'get', { mode: 'fallback' }),
      call('GetUnused', 'get', { mode: 'fallback' }),
      call('GetHalf', 'soap11', { compared: 100 }),
      call('GetHalf', 'soap12', {}),
      call('AuthCode', 'get', { mode: 'old', sends: true }),
      call('GetOther', 'get', { mode: 'old' }),
      call('GetLast', 'get', { mode: 'new' }),
    ];
    const count = (figure: 'requests' | 'forwarded', binding: string, outcome: string, of: number) => ({
      ...{ at: console.now - 60_000, figure, labels: ['GetTokenDevice', binding, outcome], count: of },
    });
    await console.store.stats.add(
      [
        count('forwarded', 'get', 'answered', 7),
        count('forwarded', 'soap11', 'unreachable', 2),
        count('forwarded', 'post', 'fallback', 3),
        count('requests', 'post', 'server_error', 3),
        count('requests', 'post', 'ok', 10),
        {
          ...{ at: console.now - 60_000, figure: 'requests', count: 4 },
          labels: ['GetExam', 'get', 'ok'],
        },
      ],
      [],
      console.now,
    );
    expect(await rows()).toEqual([
      [
        ...['GetTokenDevice', 'soap11, get', 'old server, compared', '0', '9', '0', '2', '110', '2'],
        'Explain or fix the differences below.',
      ],
      [
        ...['GetTokenDevice', 'post', 'this service, else the old server', '10', '0', '3', '0', '0', '0'],
        'It failed here: find the reason on the Requests page.',
      ],
      ...[
        ['GetStudentSchool', 'old server, compared', '100', 'Ready: set it to “fallback”.'],
        ['GetNote', 'old server, compared', '99', 'Comparisons still needed: 1.'],
        ['GetExam', 'this service, else the old server', '0', 'Ready: set it to “new”.', '4'],
        ['GetUnused', 'this service, else the old server', '0', UNSEEN.replace('{}', 'get')],
        ['GetHalf', 'old server, compared', '100', UNSEEN.replace('{}', 'soap12'), '0', 'soap11, soap12'],
        ['AuthCode', 'old server', '0', 'It sends messages, so it cannot be compared: set it to “new” last.'],
        ['GetOther', 'old server', '0', 'Set it to “shadow” to compare the answers.'],
        ['GetLast', 'this service', '0', 'Done.'],
      ].map(([name = '', by = '', compared = '', next = '', here = '0', bindings = 'get']) => [
        ...[name, bindings, by, here, '0', '0', '0', compared, '0', next],
      ]),
    ]);
    expect((await console.get('/migration')).text).toContain('2 operations are ready for their next step.');
  });

  it('shows each kind of difference with an example', async () => {
    differences = [DIFFERENCE];
    const { text } = await console.get('/migration');
    expect(text).toContain('<strong>3 × GetTokenDevice GET: body /string: missing</strong>');
    expect(text).toContain('old server: &lt;xxx&gt;');
    expect(text).toContain("<code>curl 'http://old/?id=XXX-9'</code>");
    differences = [];
    expect((await console.get('/migration')).text).toContain('No unintended differences.');
  });

  onLog('shows the history of the cutover', async () => {
    const record = async (at: number, modes: readonly MigratedCall[]) => {
      const done = { at, who: 'service', action: CUTOVER_ACTION, detail: modesDetail(modes) } as const;
      await FEATURE_ACTION_LOG?.record(console.store, done);
    };
    await record(console.now - 2000, [call('A', 'get'), call('A', 'post'), call('B', 'get')]);
    await record(console.now - 1000, [
      call('A', 'get', { mode: 'new' }),
      call('A', 'post'),
      call('B', 'get'),
    ]);
    expect(cellsOf((await console.get('/migration')).text, 'History').slice(1)).toEqual([
      [expect.any(String), 'A: shadow → get new post shadow'],
      [expect.any(String), 'First start as a reverse proxy'],
    ]);
  });

  it('is in the navigation', async () => {
    expect((await console.get('/')).text).toContain('<a href="/migration">Migration</a>');
  });
});

describe('a console without an old server', () => {
  const console = useConsole('sqlite');

  it('has no migration page', async () => {
    expect((await console.get('/migration')).status).toBe(404);
    expect((await console.get('/')).text).not.toContain('/migration');
  });
});
