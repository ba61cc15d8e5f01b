import { StoreError } from '../../../src/store';
import { cellsOf, useConsole } from '../../admin/console/use-console';

describe('the activity in the overview', () => {
  const console = useConsole('sqlite');

  it('shows the numbers of the requested period', async () => {
    const minute = Math.floor(console.now / 60_000) * 60_000;
    const count = (labels: readonly string[], counted: number) => ({
      ...{ at: minute - 60_000, figure: 'requests' as const, labels, count: counted },
    });
    const counts = [
      count(['AuthCode', 'soap11', 'ok'], 40),
      count(['AuthCode', 'soap11', 'client_error'], 2),
    ];
    await console.store.stats.add(counts, [], console.now);
    for (const [span, rows] of [
      ['1h', 60],
      ['24h', 24],
      ['30d', 120],
    ] as const) {
      const { text } = await console.get(`/?span=${span}&view=requests`);
      const table = cellsOf(text, 'Requests by operation').slice(1);
      expect(table.length).toBeGreaterThanOrEqual(rows);
      expect(table.map(([, requests]) => Number(requests)).reduce((sum, each) => sum + each)).toBe(42);
    }
  });

  it('shows in seconds how long messages took', async () => {
    const at = Math.floor(console.now / 60_000) * 60_000 - 60_000;
    // Up to two seconds each.
    const sent = { at, figure: 'sent', labels: ['sms', '2'], count: 4 } as const;
    await console.store.stats.add([sent], [], console.now);
    const { text } = await console.get('/?span=1h&view=times');
    const [median = '', slow = ''] = cellsOf(text, 'Time until sent')
      .flatMap(([, ...values]) => values)
      .filter((value) => /^\d/.test(value));
    expect(Number(median)).toBeGreaterThan(1);
    expect(Number(slow)).toBeLessThanOrEqual(2);
    expect(Number(median)).toBeLessThanOrEqual(Number(slow));
  });

  it.each([
    ['minute', '1h', 60_000],
    ['hour', '24h', 3_600_000],
    ['six hours', '30d', 6 * 3_600_000],
  ])('links from a point in a plot to the messages of its %s', async (_time, span, stepMs) => {
    const at = (Math.floor(console.now / stepMs) - 1) * stepMs;
    const settled = { at, figure: 'settled', labels: ['sms', 'sent'], count: 4 } as const;
    await console.store.stats.add([settled], [], console.now);
    const { text } = await console.get(`/?span=${span}&view=messages`);
    const link = `/messages?newer-than=${new Date(at).toISOString()}&amp;older-than=`;
    expect(text).toContain(`href="${link}${new Date(at + stepMs).toISOString()}"`);
  });

  it('links from a point in a plot to the reasons behind it', async () => {
    const hour = Math.floor(console.now / 3_600_000) * 3_600_000;
    const error = (at: number, reason: string, count: number) => ({
      ...{ at, figure: 'errors' as const, labels: ['AuthCode', 'get', reason], count },
    });
    const refused = ['AuthCode', 'get', 'client_error'] as const;
    await console.store.stats.add(
      [
        error(hour - 120_000, 'Missing parameter: phone.', 3),
        error(hour - 60_000, 'Missing parameter: phone.', 2),
        error(hour - 60_000, 'Internal error.', 7),
        error(hour, 'Missing parameter: code.', 1),
        { at: hour - 60_000, figure: 'requests', labels: refused, count: 5 },
      ],
      [],
      console.now,
    );
    const { text } = await console.get('/?span=24h&view=errors');
    const link = text
      .split('id="errors"')[1]
      ?.match(/href="(?<to>\/requests[^"]+)"/g)
      ?.at(-2);
    const behind = await console.get(link?.slice('href="'.length, -1).replaceAll('&amp;', '&') ?? '');
    expect(cellsOf(behind.text, 'Failed requests').slice(1)).toEqual([
      ['Internal error.', 'AuthCode', 'get', '7'],
    ]);
    expect(cellsOf(behind.text, 'Rejected requests').slice(1)).toEqual([
      ['Missing parameter: phone.', 'AuthCode', 'get', '5'],
    ]);
    expect(cellsOf(behind.text, 'Requests by operation and binding')).toContainEqual([
      ...['AuthCode', 'get', '0', '5', '0'],
    ]);
  });

  it('shows one plot, and links to the others', async () => {
    const { text } = await console.get('/?span=24h&view=bindings');
    expect(text.match(/<figure /g)?.length ?? 0).toBeLessThanOrEqual(1);
    for (const view of ['messages', 'times', 'requests', 'errors'])
      expect(text).toContain(`href="/?span=24h&amp;view=${view}"`);
    expect(text).toContain('data-live="/live?span=24h&amp;view=bindings"');
  });

  it('is drawn by files of this server', async () => {
    for (const [name, text] of [
      ['uplot.js', 'uPlot'],
      ['uplot.css', '.uplot'],
      ['plots.js', 'data-plot'],
      ['plots.css', '--plot-1'],
    ] as const) {
      expect((await console.get('/')).text).toContain(`/assets/${name}`);
      expect((await console.get(`/assets/${name}`)).text).toContain(text);
    }
  });
});

describe('the overview while the database does not answer', () => {
  const console = useConsole('sqlite');
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('shows the parts that need no database, and says so of the others', async () => {
    jest.spyOn(console.store.stats, 'read').mockRejectedValue(new StoreError('unavailable', 'x'));
    const { status, text } = await console.get('/');
    expect(status).toBe(200);
    expect(text).toContain('<p class="quiet">Unknown: the database is not responding.</p>');
    expect(cellsOf(text, 'Service')).toContainEqual(['Version', '1.2.3']);
  });

  it('is an error if anything else fails', async () => {
    jest.spyOn(console.store.stats, 'read').mockRejectedValue(new Error('x'));
    expect((await console.get('/')).status).toBe(500);
  });
});
