import type { OperationContract } from '../../contract';
import type { ExampleValues } from '../help';
import type { BindingSample } from './binding-samples';
import { breakable, choices, codeBlock } from './page-parts';
import { Html, html } from './html';
import { MessageTemplate } from './message-template';

/** Who gets the form that calls an operation from its page: callers on the same machine, as with ASP.NET. */
export type TestForm = 'local' | 'everyone' | 'off';

/** What the form's script gets: a text, or the field whose value stands there. */
type Piece = string | { readonly parameter: string; readonly type: string };

interface FormRequest {
  readonly method: string;
  readonly url: readonly Piece[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Piece[] | null;
}

const VIEWS = [
  { value: 'pretty', text: 'Pretty' },
  { value: 'raw', text: 'Raw' },
];

/**
 * The form that calls an operation from its page, over the binding that is chosen there.
 *
 * @param file the endpoint, seen from the page
 * @param examples what its fields hold at first
 */
export function testForm(
  file: string,
  { parameters }: OperationContract,
  samples: readonly BindingSample[],
  examples: ExampleValues,
): Html {
  const fields = parameters.map(
    ({
      name,
      type,
    }) => html`<div class="field"><label for="value-${name}"><code>${breakable(name)}</code> <span class="quiet">${type.name}</span></label>
<input id="value-${name}" value="${examples[name] ?? ''}" autocomplete="off" autocapitalize="off" spellcheck="false"${type.name === 'char' ? html` maxlength="1"` : ''}></div>
`,
  );
  return html`<noscript><p>The test form needs JavaScript.</p></noscript>
<form id="test-form" class="card" hidden>
${fields}<div class="send"><button type="submit">Invoke</button>
<p id="test-status" role="status"></p></div>
<div id="test-answer" hidden>
${codeBlock('sent-request', 'Request', '')}${codeBlock('answer-body', 'Response', '', choices('view-choice', 'View', 'view', VIEWS))}<details>
<summary>Headers of the response</summary>
<pre id="answer-headers" tabindex="0" role="group" aria-label="Headers of the response"></pre></details>
</div>
</form>
<script type="application/json" id="test-requests">${requestsJson(file, samples)}</script>
`;
}

// The same requests as in the samples, cut where the form's values go. Of all characters only the first of a
// closing script tag could end the element.
function requestsJson(file: string, samples: readonly BindingSample[]): Html {
  const requests = samples.map(({ binding, method, target, contentType, soapAction, body }) => {
    const headers = {
      ...(contentType !== undefined && { 'Content-Type': contentType }),
      ...(soapAction !== undefined && { SOAPAction: soapAction }),
    };
    const url = pieces(file + target);
    const request: FormRequest = { method, url, headers, body: body ? pieces(body.inOneLine) : null };
    return [binding, request] as const;
  });
  return new Html(JSON.stringify(Object.fromEntries(requests)).replaceAll('<', '\\u003c'));
}

function pieces(marked: string): readonly Piece[] {
  return new MessageTemplate(marked).parts.map((part) =>
    typeof part === 'string' ? part : { parameter: part.parameter ?? '', type: part.placeholder },
  );
}
