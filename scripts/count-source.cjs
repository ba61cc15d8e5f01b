// Counts how large src/ is, as CONTRIBUTING.md shows it: node scripts/count-source.cjs [FOLDER]
const { readFileSync } = require('node:fs');
const { join, relative, resolve } = require('node:path');
const { execFileSync } = require('node:child_process');

const ts = require('typescript');

const root = resolve(process.argv[2] ?? '.');
const listed = execFileSync('git', ['ls-files', 'src'], { cwd: root, encoding: 'utf8' });
const files = listed.split('\n').filter((file) => file.endsWith('.ts'));
const program = ts.createProgram(
  files.map((file) => join(root, file)),
  {
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
  },
);
const checker = program.getTypeChecker();
const fileOf = (symbol) => {
  const [declaration] = symbol?.declarations ?? [];
  return declaration && relative(root, declaration.getSourceFile().fileName);
};

const declared = (symbol) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** By file, who imports it. */
const importers = new Map(files.map((file) => [file, new Set()]));
/** Lists what is imported by name from another file. */
const imported = new Set();

for (const file of files) {
  const addIfElsewhere = (symbol) => {
    if (symbol !== undefined && fileOf(declared(symbol)) !== file) imported.add(declared(symbol));
  };
  const visit = (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      importers.get(fileOf(checker.getSymbolAtLocation(node.moduleSpecifier)))?.add(file);
    }
    if (ts.isImportSpecifier(node)) {
      const symbol = checker.getSymbolAtLocation(node.name);
      imported.add(declared(symbol));
    }
    // `(await import('./file')).name`
    if (ts.isPropertyAccessExpression(node)) {
      addIfElsewhere(checker.getSymbolAtLocation(node.name));
    }
    // `const { name } = require('./file')`
    if (ts.isBindingElement(node)) {
      const name = (node.propertyName ?? node.name).getText();
      addIfElsewhere(checker.getTypeAtLocation(node.parent).getProperty(name));
    }
    ts.forEachChild(node, visit);
  };
  visit(program.getSourceFile(join(root, file)));
}

const unused = files.flatMap((file) => {
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(root, file)));
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  // What an index passes on is declared elsewhere.
  return exported.filter((each) => !(each.flags & ts.SymbolFlags.Alias) && !imported.has(each));
});
const texts = files.map((file) => readFileSync(join(root, file), 'utf8').split('\n'));
const lines = texts.map((text) => text.length - 1);
const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const ofFeatures = sum(lines.filter((_, index) => /^src\/features\/[^/]+\//.test(files[index])));
const levels = new Map();
for (const file of files) {
  const folder = file.slice(0, file.lastIndexOf('/'));
  levels.set(folder, (levels.get(folder) ?? 0) + 1);
}
console.log(`entries in src/: ${new Set(files.map((file) => file.split('/')[1])).size}`);
console.log(`files: ${files.length}`);
console.log(`lines: ${sum(lines)}, in the longest file ${Math.max(...lines)}`);
console.log(`lines of the core: ${sum(lines) - ofFeatures}, of features: ${ofFeatures}`);
console.log(`lines of more than 110 characters: ${texts.flat().filter((line) => line.length > 110).length}`);
console.log(
  `files imported by one other: ${[...importers.values()].filter(({ size }) => size === 1).length}`,
);
console.log(`exported names that no other file of src/ imports: ${unused.length}`);
console.log(`files in the largest folder: ${Math.max(...levels.values())}`);
