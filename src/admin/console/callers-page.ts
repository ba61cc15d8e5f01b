import { html, type Html } from '../../asmx';
import type { Store } from '../../store';
import { numberText, shown } from '../../support/text';
import { table, timePart } from './page-parts';
import type { TimeText } from './time-text';

const DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

/** Who called which operation by which binding, those first who were seen last. */
export async function callersPart({ callers }: Store, time: TimeText, now: number): Promise<Html> {
  const rows = await callers.list({ from: now - DAYS * DAY_MS, to: now });
  return html`<h1>Callers</h1>
<p>Who called what in the last ${String(DAYS)} days. Names are those of ACCESS_FILE; of addresses there is as much as LOG_CLIENT says. Whoever still calls by a binding that is to be closed stands here.</p>
${table<(typeof rows)[number]>({
  label: 'Callers',
  rows,
  none: 'Nobody has called yet.',
  columns: [
    { name: 'Caller', cell: ({ caller }) => shown(caller ?? 'not known') },
    { name: 'Operation', cell: ({ operation }) => operation },
    { name: 'Binding', cell: ({ binding }) => binding },
    { name: 'Requests', cell: ({ requests }) => numberText(requests), kind: 'number' },
    { name: 'Last seen', cell: ({ lastSeenAt }) => timePart(lastSeenAt, time) },
    { name: 'Program', cell: ({ agent }) => agent, kind: 'wide' },
    { name: 'Address', cell: ({ address }) => address ?? '', kind: 'wide' },
  ],
})}`;
}
