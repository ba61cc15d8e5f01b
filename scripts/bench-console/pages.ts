import { REASONS } from '../harness/messages';

const TIMES = 5;
const DAY_MS = 24 * 60 * 60_000;

/** A page, and how long it took from the request to the last byte. */
export interface TimedPage {
  readonly name: string;
  /** False for a download: its length is bounded, not its time. */
  readonly isPage: boolean;
  readonly firstMs: number;
  readonly bestMs: number;
  readonly bytes: number;
}

/** Describes what the pages are asked for. */
export interface Subjects {
  readonly token: string;
  /** Id of a request in the middle of all messages. */
  readonly middle: string;
  /** The one with the most messages. */
  readonly school: string;
  /** Whose codes are whole. */
  readonly number: string;
  /** In ISO 8601. */
  readonly day: string;
  /** The pages' present, in milliseconds since 1970 UTC. */
  readonly now: number;
}

/** Asks for every page, one after the other. */
export async function pagesOf(origin: string, subjects: Subjects): Promise<readonly TimedPage[]> {
  const timed: TimedPage[] = [];
  for (const [name, path] of Object.entries(await pathsOf(origin, subjects)))
    timed.push(await time(origin, name, path));
  return timed;
}

async function pathsOf(
  origin: string,
  { token, middle, school, number, day, now }: Subjects,
): Promise<Readonly<Record<string, string>>> {
  const found = await fetch(`${origin}/messages/find`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ token, number }),
  });
  const [monthAgo, today] = [30, 0].map(
    (days) => `${new Date(now - days * DAY_MS).toISOString().slice(0, 13)}:00Z`,
  );
  // All that are kept: the messages of the bench are of another year.
  const all = '/messages?newer-than=any';
  const ofSchool = `${all}&school=${encodeURIComponent(school)}`;
  return {
    messages: all,
    'messages, in the middle': `${all}&before=${middle}`,
    'messages that failed': `${all}&state=failed`,
    'messages of a school that failed': `${ofSchool}&state=failed`,
    'messages of a school and class': `${ofSchool}&class=1A&channel=push`,
    'messages for a reason': `${all}&reason=${REASONS.mismatch}`,
    'messages of a telephone': found.headers.get('location') ?? '',
    'messages older than half of all': `/messages?older-than=${day}`,
    'messages: a request': `/messages/${middle}`,
    'messages as CSV (10,000)': '/messages.csv?newer-than=any',
    'overview, 1 hour': '/?span=1h',
    'overview, 24 hours': '/?span=24h',
    'overview, 30 days': '/?span=30d',
    'requests, 1 hour': '/requests',
    'requests, 30 days': `/requests?from=${monthAgo ?? ''}&to=${today ?? ''}`,
    schools: '/schools',
    import: '/schools/import',
    'a school': `/schools/school?url=${encodeURIComponent(school)}`,
    'usage by channel': '/usage',
    'usage by school': '/usage?by=school',
    callers: '/callers',
    migration: '/migration',
    audit: '/audit',
    'audit of a day': `/audit?who=user-1&day=${new Date(now).toISOString().slice(0, 10)}`,
    settings: '/settings',
  };
}

async function time(origin: string, name: string, path: string): Promise<TimedPage> {
  const took: number[] = [];
  let bytes = 0;
  for (let count = 0; count < TIMES; count += 1) {
    const begin = performance.now();
    const response = await fetch(origin + path);
    bytes = (await response.arrayBuffer()).byteLength;
    took.push(performance.now() - begin);
    if (response.status !== 200) throw new Error(`${path} was answered with ${String(response.status)}.`);
  }
  return {
    name,
    isPage: !path.startsWith('/messages.csv'),
    firstMs: took[0] ?? 0,
    bestMs: Math.min(...took),
    bytes,
  };
}
