// The types of `fleetfold/element/react`: the element in the JSX of React 19, which sets properties and listens itself.
import type { ClassAttributes, HTMLAttributes } from "react";
import type { FleetfoldPreview, PreviewEventMap, PreviewProperties } from "./element.js";

export * from "./element.js";

type Listeners = { [K in keyof PreviewEventMap as `on${K}`]?: (event: PreviewEventMap[K]) => void };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "fleetfold-preview": PreviewProperties &
        Listeners &
        ClassAttributes<FleetfoldPreview> &
        Omit<HTMLAttributes<FleetfoldPreview>, "class"> & { class?: string };
    }
  }
}
