/** Keeps a fault of one page from taking the whole dashboard away. */

import { Component, type ReactNode } from 'react'
import { Failure } from '../ui/feedback/states.tsx'

interface Props {
  /** The error goes when another page is opened. */
  readonly page: string
  readonly children: ReactNode
}

interface State {
  readonly error: unknown
}

export class PageBoundary extends Component<Props, State> {
  override state: State = { error: undefined }

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override componentDidUpdate({ page }: Props): void {
    if (page !== this.props.page && this.state.error !== undefined) this.setState({ error: undefined })
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    return <Failure error={this.state.error} onRetry={() => location.reload()} />
  }
}
