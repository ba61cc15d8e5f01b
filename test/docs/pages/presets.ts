import { readPresets } from '../../../src/delivery';
import { GENERATED, wrap } from './markdown';

/** Described once for all presets. */
const COMMON = ['receiptUrl', 'base'];
/** Begins what is not confirmed for any preset. */
const EVERYWHERE = 'Tested against a mock';

type Preset = ReturnType<typeof readPresets>[number];

/** Returns a page for each provider: what to ask it for, values, receipts and rate. */
export function presetPages() {
  const all = readPresets();
  const providers = new Set(all.map(([name]) => providerOf(name)));
  return [...providers].map((provider) => ({
    path: `docs/reference/sms-${provider}.md`,
    text: () => page(all.filter(([name]) => providerOf(name) === provider)),
  }));
}

/** Returns `netgsm` for `netgsm-otp`. */
function providerOf(preset: string): string {
  return preset.split('-', 1).join('');
}

function page(presets: readonly Preset[]): string {
  const each = presets.map(([, preset]) => preset);
  const [first] = each;
  const values = each.flatMap(({ parameters }) =>
    Object.entries(parameters)
      .filter(([key, parameter]) => !COMMON.includes(key) || parameter.default === undefined)
      .map(([key, { description, default: usual, sameAs }]) => {
        const fallback = sameAs === undefined ? usual && `default: ${usual}` : `default: as \`${sameAs}\``;
        return `\`${key}\`: ${description}${fallback ? `; ${fallback}` : ''}`;
      }),
  );
  const rate = first?.gateway.rate;
  const unconfirmed = each
    .flatMap((preset) => preset.unconfirmed)
    .filter((text) => !text.startsWith(EVERYWHERE));
  return `# ${each.map(({ title }) => title).join('; ')}

${GENERATED}

${presets.map(([name]) => `\`"preset": "${name}"\``).join(' or ')} in [GATEWAYS_FILE](../sms-gateways.md#presets). Ask the provider for:

${list(each.flatMap(({ ask }) => ask))}

Values:

${list(values)}

Receipts: ${receiptsOf(first?.gateway.receipts)}. Rate: ${rate === undefined ? 'none known' : `${String(rate * 60)} a minute`}.
SMS_TEXT for [autofill](../sms-gateways.md#autofill).
${unconfirmed.length === 0 ? '' : `\nNot confirmed:\n\n${list(unconfirmed)}\n`}`;
}

function receiptsOf(receipts: Preset[1]['gateway']['receipts']): string {
  if (receipts === undefined) return 'none';
  if (receipts.request !== undefined) return 'polled by the service';
  const signed = receipts.signature === undefined ? '' : ', signed';
  return `sent to \`receiptUrl\`${signed}`;
}

function list(items: readonly string[]): string {
  return [...new Set(items)].map((item) => wrap(`- ${item}`, '  ')).join('\n');
}
