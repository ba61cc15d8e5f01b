import { MODULES, moduleText } from '../../scripts/contract-types/modules';
import { readRepositoryFile } from '../harness/repository-files';

/** Leaves out what laying a text out changes. */
const content = (text: string): string => text.replace(/[\s,;|()'"]/g, '');

describe('the types of the operations', () => {
  it.each(MODULES)('in $path match the descriptions, by `npm run contract-types`', async (module) => {
    expect(content(readRepositoryFile(module.path))).toBe(content(await moduleText(module)));
  });
});
