import { readIisLog } from '../../../../src/features/migration/traffic/iis-log';
import type { FileRequest } from '../../../../src/features/migration/traffic/reader';
import { read } from './read';

const IIS = `#Software: Microsoft Internet Information Services 10.0
#Version: 1.0
#Date: 2026-11-20 05:00:01
#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken
2026-11-20 05:00:01 10.0.0.5 GET /PushNotificationMobile.asmx/GetTokenDevice id=DEV%201&x=%u015F+a 80 - 10.0.0.9 okhttp/4.9.0+(a;+b) - 200 0 0 15
2026-11-20 05:00:02 10.0.0.5 POST /NotificationNotes.asmx - 80 - 10.0.0.9 Mozilla/4.0+(compatible;+MSIE+6.0;+MS+Web+Services+Client+Protocol+4.0.30319.42000) - 200 0 0 31
2026-11-20 05:00:03 10.0.0.5 HEAD /Köy+x?/A.asmx - 80 - 10.0.0.9 - - 405 0 0 0
#Software: Microsoft Internet Information Services 10.0
#Fields: cs-uri-stem cs-method time
/GetNoteType.asmx GET 05:00:04
/GetNoteType.asmx GET
`;

const AGENT = 'okhttp/4.9.0 (a; b)';

const summary = ({ line, request: { method, target, headers, body } }: FileRequest) => [
  line,
  method,
  target,
  ...headers.map(([name, value]) => `${name}: ${value}`),
  ...(body.length > 0 ? ['a body'] : []),
];

describe('IIS logs', () => {
  it('contain GET requests in the format of the preceding #Fields line', async () => {
    const { found, passed } = await read(readIisLog, IIS.replaceAll('\n', '\r\n') + '\0'.repeat(100));
    expect(found.map(summary)).toEqual([
      [5, 'GET', '/PushNotificationMobile.asmx/GetTokenDevice?id=DEV%201&x=%u015F+a', `User-Agent: ${AGENT}`],
      [7, 'HEAD', '/K%C3%B6y+x%3F/A.asmx'],
      [10, 'GET', '/GetNoteType.asmx'],
    ]);
    expect(passed).toEqual([
      { line: 6, what: 'incomplete', reason: 'logs do not contain request bodies' },
      { line: 11, what: 'malformed', reason: 'fewer or more values than in #Fields' },
    ]);
  });

  it('yield nothing before a #Fields line defines the columns', async () => {
    const { found, passed } = await read(
      readIisLog,
      '#Version: 1.0\n/a GET\n#Fields: time cs-method\n1 GET\n',
    );
    expect(found).toEqual([]);
    expect(passed.map(({ line, what }) => [line, what])).toEqual([
      [2, 'malformed'],
      [4, 'malformed'],
    ]);
  });
});
