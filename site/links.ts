/** A link of a Markdown file, with the line it stands on. */
export type Link = { target: string; line: number };

const FENCE = /^\s*(```|~~~)/;
const LINK = /\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g;

/** Applies a change to each line of a Markdown text that is not code. */
function outsideCode(markdown: string, change: (line: string, number: number) => string): string {
  let fenced = false;
  return markdown
    .split('\n')
    .map((line, index) => {
      if (FENCE.test(line)) fenced = !fenced;
      return fenced ? line : change(line, index + 1);
    })
    .join('\n');
}

/** The links and images of a Markdown text. */
export function linksOf(markdown: string): Link[] {
  const links: Link[] = [];
  outsideCode(markdown, (text, line) => {
    const plain = text.replaceAll(/`[^`]*`/g, '');
    for (const [, target = ''] of plain.matchAll(LINK)) links.push({ target, line });
    return text;
  });
  return links;
}

/** Rewrites the targets of links, whose texts may have several lines. `null` leaves the text of the link alone. */
export function withLinks(markdown: string, rewrite: (target: string) => string | null): string {
  return markdown
    .split(/(^[ \t]*```[\s\S]*?^[ \t]*```[ \t]*$)/m)
    .map((part, index) => (index % 2 === 1 ? part : withLinksOutsideCode(part, rewrite)))
    .join('');
}

function withLinksOutsideCode(text: string, rewrite: (target: string) => string | null): string {
  return text.replaceAll(/(!?)\[([^\]]*)\]\(([^()\s]+)\)/g, (whole, image: string, label: string, target: string) => {
    const to = rewrite(target);
    return to === null ? label : to === target ? whole : `${image}[${label}](${to})`;
  });
}

/** The anchor of a heading, as code hosts make it: letters and digits in lower case, `-` for spaces. */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** The anchors of the headings of a Markdown text. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  outsideCode(markdown, (line) => {
    const [, heading] = /^#{1,6}\s+(.*)$/.exec(line) ?? [];
    if (heading === undefined) return line;
    const anchor = slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, ''));
    let unique = anchor;
    for (let copy = 1; anchors.has(unique); copy += 1) unique = `${anchor}-${copy}`;
    anchors.add(unique);
    return line;
  });
  return anchors;
}
