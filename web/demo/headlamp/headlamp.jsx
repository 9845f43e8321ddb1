// Plays Headlamp's part for the demo and its tests: the three names that the plugin takes from Headlamp, over objects that stand
// here instead of an API server. Real Headlamp is not needed to look at the section, and is not tested here.
import { objects } from "./objects.js";

const sections = [];

export function registerDetailsViewSection(section) {
  sections.push(section);
}

export const ApiProxy = {
  /** A list, as the API server behind Headlamp gives it. */
  async request(path) {
    const plural = path.split("/").at(-1);
    const items = objects.filter((it) => `${it.kind.toLowerCase()}s` === plural);
    return { kind: "List", items };
  },
};

export function SectionBox({ title, children }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The page of one resource, with what plugins add to it. */
export function DetailsView({ resource }) {
  return (
    <>
      <h1>{resource.kind}: {resource.metadata.name}</h1>
      {sections.map((Section, at) => <Section key={at} resource={resource} />)}
    </>
  );
}
