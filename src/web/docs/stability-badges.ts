/** Shows `x-stability` as a badge beside an operation's path, also while the operation is folded. */

import type { UiPlugin } from 'swagger-ui-dist/swagger-ui-es-bundle.js'

interface PathProps {
  readonly operationProps: { get(name: 'path' | 'method'): string }
}

export const stabilityBadges: UiPlugin = ({ React, specSelectors }) => ({
  wrapComponents: {
    OperationSummaryPath: (Original) => (props: PathProps) => {
      const { operationProps } = props
      const place = ['paths', operationProps.get('path'), operationProps.get('method'), 'x-stability']
      // The operation in the props is empty until it is first unfolded.
      const stability = specSelectors.specJson().getIn(place)
      const path = React.createElement(Original, props)
      if (typeof stability !== 'string') return path
      const badge = React.createElement('span', { className: 'stability' }, stability)
      return React.createElement(React.Fragment, null, path, badge)
    },
  },
})
