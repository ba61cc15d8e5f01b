import { terminalLines } from '../../src/telemetry/terminal-lines';

describe('a log line at a terminal', () => {
  const time = '2026-11-28T15:28:14.832Z';
  const clock = new Date(time).toTimeString().slice(0, 8);

  it('has the time, the level, the message and then the fields', () => {
    const line = JSON.stringify({ level: 'warn', time, pid: 1, channel: 'sms', rows: 84, msg: 'Not sent.' });
    expect(terminalLines(`${line}\n`)).toBe(`${clock} warn  Not sent. channel=sms rows=84\n`);
  });

  it('shows where an error comes from', () => {
    const line = JSON.stringify({
      level: 'error',
      time,
      err: { stack: 'Error: x\n    at y' },
      msg: 'failed',
    });
    expect(terminalLines(`${line}\n`)).toBe(`${clock} error failed\nError: x\n    at y\n`);
  });

  it('contains no control characters of a value', () => {
    const line = JSON.stringify({ level: 'info', time, agent: 'a\u001b[2Jb', msg: 'request' });
    expect(terminalLines(line)).not.toContain('\u001b');
  });

  it.each(['not JSON\n', '{broken}\n', ''])('stays as it is if it is no JSON: %j', (text) => {
    expect(terminalLines(text)).toBe(text);
  });
});
