import { clientLines } from '../../../src/asmx/documents/pages/client-lines';
import { OPERATIONS } from '../../harness/contract-operations';
import { GENERATED } from './markdown';

const ENDPOINT = 'PushNotificationMobile';
const OPERATION = 'GetTokenDevice';

const INTRODUCTION = `How a program calls \`${OPERATION}\`: the command that makes a proxy, where the platform has proxies,
and the call. The page of each operation (\`/${ENDPOINT}.asmx?op=${OPERATION}\`) shows the same with its own names and
address. \`New-WebServiceProxy\` needs Windows PowerShell 5.1; the call in Java needs Java 10.`;

/** Returns the page with the code that calls an operation from each platform. */
export function clientCodePage(): string {
  const operation = OPERATIONS.find(({ name }) => name === OPERATION);
  if (operation === undefined) throw new Error(`There is no ${OPERATION}.`);
  const url = `http://localhost:8080/${ENDPOINT}.asmx`;
  const parts = clientLines(ENDPOINT, operation, url, { id: 'DEV-1' }).map(({ platform, proxy, call }) => {
    const lines = [proxy, call].filter((line) => line !== undefined);
    return `## ${platform}\n\n${lines.map((line) => `\`\`\`text\n${line}\n\`\`\`\n`).join('\n')}`;
  });
  return `# Client code\n\n${GENERATED}\n\n${INTRODUCTION}\n\n${parts.join('\n')}`;
}
