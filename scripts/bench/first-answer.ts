import { once } from 'node:events';
import { connect } from 'node:net';

import { type Answer, AnswerReader } from '../harness';
import type { Load } from '../harness/load';

/** The answer to the first request of a load. */
export async function firstAnswer(port: number, load: Load): Promise<Answer> {
  const socket = connect({ port, host: '127.0.0.1' });
  const reader = new AnswerReader();
  try {
    socket.write(load.before + load.caseOf(0).value + load.after, 'latin1');
    for (;;) {
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      const answer = reader.add(bytes);
      if (answer !== undefined) return answer;
    }
  } finally {
    socket.destroy();
  }
}
