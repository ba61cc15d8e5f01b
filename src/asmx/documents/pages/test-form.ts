import type { OperationContract } from '../../contract';
import { type BindingSample, bindingTitle } from './binding-samples';
import { codeBlock } from './page-parts';
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

/**
 * The form that calls an operation from its page, over a binding of the visitor's choice.
 *
 * @param file the endpoint, seen from the page
 */
export function testForm(
  file: string,
  { parameters }: OperationContract,
  samples: readonly BindingSample[],
): Html {
  const choices = samples.map(
    ({ binding }, index) =>
      html`<label><input type="radio" name="binding" value="${binding}"${checked(index === 0)}> ${bindingTitle[binding]}</label>\n`,
  );
  const fields = parameters.map(
    ({
      name,
      type,
    }) => html`<div class="field"><label for="value-${name}"><code>${name}</code> <span class="quiet">${type}</span></label>
<input id="value-${name}" autocomplete="off" autocapitalize="off" spellcheck="false"${type === 'char' ? html` maxlength="1"` : ''}></div>
`,
  );
  return html`<noscript><p>The test form needs JavaScript.</p></noscript>
<form id="test-form" class="card" hidden>
<fieldset><legend>Binding</legend>
${choices}</fieldset>
${fields}<button type="submit">Invoke</button>
<p id="test-status" role="status"></p>
<div id="test-answer" hidden>
${codeBlock('answer-headers', 'Headers', '')}${codeBlock('answer-pretty', 'Body, pretty-printed', '')}${codeBlock('answer-raw', 'Body as received', '')}</div>
</form>
<script type="application/json" id="test-requests">${requestsJson(file, samples)}</script>
`;
}

function checked(is: boolean): Html | string {
  return is ? html` checked` : '';
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
