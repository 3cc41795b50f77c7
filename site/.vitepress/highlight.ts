import highlight from 'highlight.js';

const NAMES: Readonly<Record<string, string>> = { sh: 'bash', jsonc: 'json', tsx: 'typescript', jsx: 'javascript' };

/** Code as markup that is coloured by classes alone, so the policy of the pages needs no inline styles for it. */
export function highlighted(code: string, language: string): string {
  const name = NAMES[language] ?? language;
  const known = highlight.getLanguage(name) !== undefined;
  const markup = known ? highlight.highlight(code, { language: name }).value : escaped(code);
  return `<pre v-pre tabindex="0"><code>${markup}</code></pre>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
