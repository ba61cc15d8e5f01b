import { codeBlock } from './code-block';
import { markup, type Markup } from './markup';
import { proxyCommands } from './proxy-commands';

/** How a proxy class is generated, one line for each platform. */
export function proxySection(service: string, url: string): Markup {
  const blocks = proxyCommands(service, url).map(({ platform, command }, index) =>
    codeBlock(`proxy-${String(index)}`, platform, command),
  );
  return markup`<h2 id="proxy">Generate a proxy</h2>
<div class="card">
${blocks}</div>
`;
}
