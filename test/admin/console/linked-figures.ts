import type { UsedConsole } from './use-console';

interface LinkedFigure {
  readonly query: string;
  readonly shown: number;
  /** Number of messages in the list that it leads to. */
  readonly messages: number;
}

/** Follows each figure of the overview that leads to a list of messages. */
export async function followFigures(console: Pick<UsedConsole, 'get'>): Promise<readonly LinkedFigure[]> {
  const { text } = await console.get('/');
  const figures = text.matchAll(/href="\/messages(?<query>\?[^"]*)">[^<]*?(?<shown>\d+)</g);
  const groups = text.matchAll(/<strong>(?<shown>\d+) × [^]*?href="\/messages(?<query>\?[^"]*)"/g);
  const followed: LinkedFigure[] = [];
  for (const { groups: { query = '', shown } = {} } of [...figures, ...groups]) {
    const list = await console.get(`/messages.csv${query.replaceAll('&amp;', '&')}`);
    const messages = list.text.trim().split('\n').length - 1;
    followed.push({ query, shown: Number(shown), messages });
  }
  return followed;
}
