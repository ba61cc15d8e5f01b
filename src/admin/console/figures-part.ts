import { html, type Html, NOTHING } from '../../asmx';
import type { FigurePoint, Store } from '../../store';
import { type SpanName, SPANS } from './figure-spans';
import { plotsOf } from './figure-plots';
import { plotPart } from './plot-part';
import { requestsTable } from './requests-page';
import type { TimeText } from './time-text';

/** Which span is shown, and which others there are. */
export function spanLinks(span: SpanName): Html {
  const links = Object.entries(SPANS).map(
    ([key, { name }]) =>
      html`<a href="/?span=${key}"${key === span ? html` aria-current="true"` : NOTHING}>${name}</a>`,
  );
  return html`<nav class="spans" aria-label="Span of the plots">${links}</nav>\n`;
}

/** What was counted up to now: plots, and the requests in a table. */
export async function figuresPart(
  { figures }: Store,
  span: SpanName,
  time: TimeText,
  now: number,
): Promise<Html> {
  const { lengthMs, stepMs, name } = SPANS[span];
  const points: readonly FigurePoint[] = await figures.read({ from: now - lengthMs, to: now, stepMs });
  return html`<div class="cards plots">
${plotsOf(points, stepMs).map((plot) => plotPart(plot, time))}</div>
<h3>Requests of the last ${name} by operation and binding</h3>
${requestsTable(points)}`;
}
