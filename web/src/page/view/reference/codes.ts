// The codes of answers, parsed from the generated page `docs/codes.md`.
import text from "../../../../../docs/codes.md?raw";

export interface Code {
  name: string;
  means: string;
  /** `Findings` or `Reasons`. */
  of: string;
}

export const CODES: Code[] = read(text);

function read(page: string): Code[] {
  let of = "";
  return page.split("\n").flatMap((line): Code[] => {
    if (line.startsWith("## ")) of = line.slice(3).trim();
    const [, name, means] = /^\| `([^`]+)` \| (.*) \|$/.exec(line) ?? [];
    return name && means ? [{ name, means, of }] : [];
  });
}
